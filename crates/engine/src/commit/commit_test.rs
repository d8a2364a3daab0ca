use crate::base::testing::check_transcripts;
use crate::jobs::testing::Stage;

#[test]
fn transcripts() {
    check_transcripts("commit/testdata", || {
        let mut stage = Stage::new();
        move |command| stage.command(command)
    });
}
