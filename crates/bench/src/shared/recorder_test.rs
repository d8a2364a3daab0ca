use super::*;

#[test]
fn a_phase_leaves_lines_for_each_state_and_the_costs_of_the_measured_part() {
    let dir = tempfile::tempdir().unwrap();
    let timeline = dir.path().join("timeline.jsonl");
    let meters = Arc::new(Meters::new(&["READ", "WRITE"], 1));
    let mut recorder = Recorder::start(Phase {
        name: "test".to_owned(),
        fields: [("suite".to_owned(), json!("test"))].into_iter().collect(),
        meters: Arc::clone(&meters),
        targets: Vec::new(),
        dirs: vec![dir.path().to_owned()],
        timeline: Some(timeline.clone()),
        screen: Screen::Off,
        size: Size::default(),
        warm_up: true,
        server: None,
    });
    meters.of(0).count(0, 5);
    std::thread::sleep(Duration::from_millis(20));
    recorder.measured(true);
    meters.of(0).count(0, 7);
    meters.of(0).time(0, 1000);
    std::fs::write(dir.path().join("data"), vec![1; 1 << 16]).unwrap();
    std::thread::sleep(PERIOD + Duration::from_millis(300));
    let record = recorder.finish().unwrap();
    let text = std::fs::read_to_string(timeline).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<&str> = lines.iter().map(|line| line["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["warm-up", "measured"], "{text}");
    assert_eq!(
        (&lines[0]["ops"], &lines[0]["p99_us"]),
        (&json!({"READ": 5}), &json!({"READ": null}))
    );
    assert_eq!(
        (&lines[1]["ops"], &lines[1]["p99_us"]["READ"]),
        (&json!({"READ": 7}), &json!(1.023))
    );
    assert!((0.99..1.2).contains(&lines[1]["t"].as_f64().unwrap()), "{text}");
    assert_eq!((&lines[1]["levels"], &lines[1]["suite"]), (&Value::Null, &json!("test")));
    assert!((0.02..1.0).contains(&record.warm_up_seconds));
    assert_eq!(record.warm_up()["detected"], true);
    assert!(record.written >= 1 << 16, "{}", record.written);
    let user = UserBytes { written: record.written as f64 / 2.0, ..UserBytes::default() };
    assert_eq!(record.amplification(user, 9), json!({"write": 2.0, "read": null, "space": null}));
    assert_eq!(record.cost()["fsyncs"], Value::Null);
}

#[test]
fn a_time_line_that_cannot_be_written_is_an_error() {
    let recorder = Recorder::start(Phase {
        name: String::new(),
        fields: Map::new(),
        meters: Arc::new(Meters::new(&["READ"], 1)),
        targets: Vec::new(),
        dirs: Vec::new(),
        timeline: Some(PathBuf::from("/none/timeline.jsonl")),
        screen: Screen::Off,
        size: Size::default(),
        warm_up: false,
        server: None,
    });
    let error = recorder.finish().err().unwrap();
    assert!(error.starts_with("/none/timeline.jsonl"), "{error}");
}
