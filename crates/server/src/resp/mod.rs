//! RESP2 and RESP3: an incremental parser of requests and a writer of replies.
