use super::*;

#[test]
fn higher_numbers_are_higher_columns() {
    let labels = ["9s".to_owned(), "12m".to_owned(), "1s".to_owned()];
    assert_eq!(draw(&[0, 100, 50], &labels), " # \n | \n |#\n_||\n\n911\ns2s\n m \n");
    assert_eq!(draw(&[7], &["1s".to_owned()]), " \n \n \n_\n\n1\ns\n");
    assert_eq!(draw(&[], &[]), "\n\n\n\n\n");
    assert_eq!(draw(&[1; 200], &vec![String::new(); 200]).lines().last().map(str::len), Some(0));
}
