-- The tables of the journal.
CREATE TABLE documents (
    kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, revision INTEGER NOT NULL, at_ns INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX documents_by_time ON documents (kind, at_ns);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, body TEXT NOT NULL, at_ns INTEGER NOT NULL
);
CREATE INDEX events_by_stream ON events (stream, seq);
