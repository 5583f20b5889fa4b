-- The tables of the index, as numbered steps from an empty file to today's form.
-- Add a step at the end; never change one. SQLite keeps the text of each statement as it stands here, blanks included,
-- and the check of an index compares it.

-- step 1: from an empty file
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- a new one whenever the content changes, never used again
        path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
        language TEXT NOT NULL, lines INTEGER NOT NULL, checked_ns INTEGER NOT NULL, note TEXT NOT NULL
    );
    CREATE TABLE bodies (file_id INTEGER PRIMARY KEY, text BLOB NOT NULL, imports BLOB NOT NULL);
    CREATE TABLE chunks (
        key INTEGER PRIMARY KEY,               -- file_id * 2^20 + position
        start INTEGER NOT NULL, stop INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        symbol TEXT NOT NULL, kind TEXT NOT NULL
    );
    CREATE TABLE symbols (
        file_id INTEGER NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL, kind TEXT NOT NULL,
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL
    );
    CREATE INDEX symbols_by_name ON symbols (name);
    CREATE INDEX symbols_by_file ON symbols (file_id);
    CREATE TABLE edges (
        source TEXT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, rel TEXT NOT NULL, line INTEGER NOT NULL
    );
    CREATE INDEX edges_by_source ON edges (source);
    CREATE INDEX edges_by_target ON edges (target);
    CREATE TABLE vectors (file_id INTEGER PRIMARY KEY, rows BLOB NOT NULL);
    CREATE TABLE skips (path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL);
    CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL);

-- step 2: names are found whatever their case. The second engine's tables held surface forms; they are made again, of stems.
    DROP INDEX symbols_by_name;
    ALTER TABLE symbols ADD COLUMN lower_name TEXT NOT NULL DEFAULT '';
    UPDATE symbols SET lower_name = lower(name);
    CREATE INDEX symbols_by_lower_name ON symbols (lower_name, kind);
    DROP TABLE IF EXISTS fts;
    DROP TABLE IF EXISTS fts_files;

-- step 3: vectors of several models. Whose vectors there were was never written down; they are made again, of what the cache holds.
    CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
    DROP TABLE vectors;
    CREATE TABLE vectors (model INTEGER NOT NULL, file_id INTEGER NOT NULL, rows BLOB NOT NULL);
    CREATE UNIQUE INDEX vectors_by_model ON vectors (model, file_id);

-- step 4: past changes. ``files`` holds ids of paths, and symbols, as JSON; ``change_files`` finds the changes of a path.
    CREATE TABLE changes (
        id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, seconds INTEGER NOT NULL, author TEXT NOT NULL,
        subject TEXT NOT NULL, body BLOB NOT NULL, weight REAL NOT NULL, recency REAL NOT NULL, files BLOB NOT NULL
    );
    CREATE INDEX changes_by_time ON changes (seconds);
    CREATE TABLE change_paths (
        id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, busy REAL NOT NULL DEFAULT 0
    );
    CREATE TABLE change_files (
        path_id INTEGER NOT NULL, change_id INTEGER NOT NULL, PRIMARY KEY (path_id, change_id)
    ) WITHOUT ROWID;
    CREATE TABLE change_terms (term TEXT NOT NULL PRIMARY KEY, rows BLOB NOT NULL);

-- step 5: which kinds a chunk holds is told by its symbols; the second engine's tables no longer say it, and are made again.
    DROP TABLE IF EXISTS fts;
    DROP TABLE IF EXISTS fts_files;

-- step 6: what a file's stat was is known to one machine only, and kept apart from what the file says; see stamps.py.
    ALTER TABLE files DROP COLUMN mtime_ns;
    ALTER TABLE files DROP COLUMN ctime_ns;
    ALTER TABLE files DROP COLUMN inode;
    ALTER TABLE files DROP COLUMN checked_ns;
