use super::testing::Stage;
use crate::base::testing::check_transcripts;

#[test]
fn transcripts() {
    check_transcripts("jobs/testdata", || {
        let mut stage = Stage::new();
        move |command| stage.command(command)
    });
}
