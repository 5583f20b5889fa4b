-- The tables on the server, as numbered steps from an empty database to today's form.
-- Add a step at the end; never change one. Every key begins with ``repo``: a distributed database keeps what belongs to
-- one repository in one place by that column, and a question about one repository is a task for one server. Set how a
-- column is stored in the step that makes it: of a table that is distributed Citus refuses to change that.

-- step 1: from an empty database
    CREATE TABLE shirube.repositories (
        repo integer PRIMARY KEY,              -- drawn by lot, so that none means another one when a database is made anew
        name text NOT NULL UNIQUE              -- host and path of its remote; of one without, machine and directory
    );
    CREATE TABLE shirube.counters (            -- who writes for a repository locks its row
        repo integer PRIMARY KEY,
        next_file bigint NOT NULL DEFAULT 1, next_layer integer NOT NULL DEFAULT 1, next_commit integer NOT NULL DEFAULT 1
    );
    CREATE TABLE shirube.refs (
        repo integer NOT NULL, ref text NOT NULL,
        form text NOT NULL,                    -- by which rules it was made: programs of two versions have each their own
        generation bigint NOT NULL DEFAULT 0,  -- grows with every change of files
        vectors bigint NOT NULL DEFAULT 0,     -- grows with every change of vectors alone
        layers integer[] NOT NULL DEFAULT '{}',  -- the oldest first
        notes jsonb NOT NULL DEFAULT '{}',
        skips bytea NOT NULL DEFAULT '',
        history bigint NOT NULL DEFAULT 0,     -- grows with every change of its past changes
        writer text NOT NULL DEFAULT '', lease timestamptz NOT NULL DEFAULT '-infinity',
        updated timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (repo, ref, form)
    );
    CREATE INDEX ON shirube.refs (repo, form, updated);
    CREATE TABLE shirube.layers (              -- never changed but for ``models`` and ``orphaned``
        repo integer NOT NULL, layer integer NOT NULL,
        files bytea NOT NULL, chunks bytea NOT NULL, links bytea NOT NULL,
        numbers bytea NOT NULL,                -- of its files, eight bytes each
        models text[] NOT NULL DEFAULT '{}',   -- of which every indexed file has vectors
        orphaned timestamptz,                  -- since when a ref no longer has it
        PRIMARY KEY (repo, layer)
    );
    CREATE TABLE shirube.files (
        repo integer NOT NULL, file bigint NOT NULL, body bytea NOT NULL, details bytea NOT NULL,
        PRIMARY KEY (repo, file)
    );
    CREATE TABLE shirube.postings (
        repo integer NOT NULL, layer integer NOT NULL, term bytea NOT NULL, rows bytea NOT NULL,
        PRIMARY KEY (repo, layer, term)
    );
    CREATE TABLE shirube.names (               -- symbols by their names in lower case
        repo integer NOT NULL, layer integer NOT NULL, name bytea NOT NULL, rows bytea NOT NULL,
        PRIMARY KEY (repo, layer, name)
    );
    CREATE TABLE shirube.vectors (
        repo integer NOT NULL, model text NOT NULL, file bigint NOT NULL, rows bytea NOT NULL,
        PRIMARY KEY (repo, model, file)
    );
    CREATE TABLE shirube.commits (             -- shared by the refs of a repository; one read otherwise has a new number
        repo integer NOT NULL, commit integer NOT NULL, hash bytea NOT NULL, data bytea NOT NULL, body bytea NOT NULL,
        PRIMARY KEY (repo, commit)
    );
    CREATE INDEX ON shirube.commits (repo, hash);
    CREATE TABLE shirube.commit_terms (
        repo integer NOT NULL, term bytea NOT NULL, rows bytea NOT NULL, PRIMARY KEY (repo, term)
    );
    CREATE TABLE shirube.histories (           -- which commits a ref has, and where their files are today
        repo integer NOT NULL, ref text NOT NULL, form text NOT NULL, commits bytea NOT NULL, moved bytea NOT NULL,
        PRIMARY KEY (repo, ref, form)
    );
    CREATE TABLE shirube.parsed (              -- what files say by the digest of their content, for every repository
        key text PRIMARY KEY, data bytea NOT NULL, day integer NOT NULL
    );
    ALTER TABLE shirube.layers ALTER files SET STORAGE EXTERNAL;
    ALTER TABLE shirube.layers ALTER chunks SET STORAGE EXTERNAL;
    ALTER TABLE shirube.layers ALTER links SET STORAGE EXTERNAL;
    ALTER TABLE shirube.files ALTER body SET STORAGE EXTERNAL;
    ALTER TABLE shirube.files ALTER details SET STORAGE EXTERNAL;
    ALTER TABLE shirube.postings ALTER rows SET STORAGE EXTERNAL;
    ALTER TABLE shirube.parsed ALTER data SET STORAGE EXTERNAL

-- step 2: the repositories that workers follow; two small tables, which a distributed database keeps on its coordinator
    CREATE TABLE shirube.team_repositories (
        name text PRIMARY KEY,                 -- as in ``repositories``
        url text NOT NULL,                     -- without credentials
        branches text[] NOT NULL,              -- patterns; none means the branch that the remote has for its own
        seconds integer NOT NULL CHECK (seconds >= 10),  -- how often it is looked at
        added timestamptz NOT NULL DEFAULT now(), looked timestamptz, due timestamptz NOT NULL DEFAULT now(),
        problem jsonb                          -- why the last look failed
    );
    CREATE TABLE shirube.team_refs (           -- how far each branch is
        name text NOT NULL, ref text NOT NULL,
        state text NOT NULL,                   -- waiting, working, complete, dead
        wanted text NOT NULL DEFAULT '',       -- the commit that the remote had when it was looked at
        commit text NOT NULL DEFAULT '',       -- the commit that is indexed, and by which rules
        form text NOT NULL DEFAULT '',
        files integer NOT NULL DEFAULT 0, parsed integer NOT NULL DEFAULT 0,
        done integer NOT NULL DEFAULT 0, total integer NOT NULL DEFAULT 0,
        seconds real NOT NULL DEFAULT 0,
        runs integer NOT NULL DEFAULT 0,       -- how often it was begun
        worker text NOT NULL DEFAULT '', changed timestamptz NOT NULL DEFAULT now(),
        problem jsonb, lasting boolean NOT NULL DEFAULT false,
        PRIMARY KEY (name, ref)
    );
    CREATE TABLE shirube.team_queue (          -- up to which of its migrations procrastinate's tables are
        migration text NOT NULL
    )

-- step 3: who may ask what
    CREATE TABLE shirube.tokens (
        token text PRIMARY KEY,                -- what people and logs call it; the secret itself is nowhere
        hash bytea NOT NULL UNIQUE,            -- of the secret, by SHA-256: it has 256 random bits, so no salt is needed
        holder text NOT NULL,
        requests integer NOT NULL, words integer NOT NULL,  -- how many a minute: calls, and tokens of text
        made timestamptz NOT NULL DEFAULT now(), expires timestamptz NOT NULL, revoked timestamptz
    );
    CREATE TABLE shirube.grants (
        token text NOT NULL REFERENCES shirube.tokens ON DELETE CASCADE,
        pattern text NOT NULL,                 -- the name of a repository; an asterisk stands for anything
        PRIMARY KEY (token, pattern)
    );
    REVOKE ALL ON shirube.tokens, shirube.grants FROM PUBLIC;
    -- Without a policy only the owner sees their rows, whatever rights on all tables of the schema somebody has.
    ALTER TABLE shirube.tokens ENABLE ROW LEVEL SECURITY;
    ALTER TABLE shirube.grants ENABLE ROW LEVEL SECURITY;
    -- A connection that was never told sees everything, as who has an account of the database always did. A server for
    -- many tells each transaction what its caller may see, and tells each new connection: nothing. The setting is read
    -- once for a statement, not once for a row. What is neither a list nor unset is an error, and shows nothing.
    -- (What ends in a semicolon at the end of a line is sent by itself, hence the dashes.)
    DO $$
    DECLARE one regclass; unset text := '(SELECT current_setting(''shirube.repos'', true) IS NULL)'; --
        mine text := 'repo = ANY ((SELECT current_setting(''shirube.repos'', true))::integer[])'; --
    BEGIN
        FOR one IN SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'shirube'::regnamespace AND c.relkind = 'r' AND a.attname = 'repo' AND NOT a.attisdropped
        LOOP
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', one); --
            EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', one); --
            EXECUTE format('CREATE POLICY granted ON %s USING (%s OR %s)', one, unset, mine); --
        END LOOP; --
    END $$;
    -- The functions below look into the names of all repositories in the name of the owner.
    ALTER TABLE shirube.repositories NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE shirube.refs NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE shirube.parsed ENABLE ROW LEVEL SECURITY;
    ALTER TABLE shirube.parsed FORCE ROW LEVEL SECURITY;
    CREATE POLICY granted ON shirube.parsed USING ((SELECT current_setting('shirube.repos', true) IS NULL));
    CREATE FUNCTION shirube.holder(wanted bytea)
        RETURNS TABLE (token text, holder text, requests integer, words integer, patterns text[])
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        SELECT t.token, t.holder, t.requests, t.words, ARRAY(SELECT g.pattern FROM shirube.grants g WHERE g.token = t.token)
        FROM shirube.tokens t WHERE t.hash = wanted AND t.revoked IS NULL AND t.expires > now() $$;
    CREATE FUNCTION shirube.granted(patterns text[], wanted text[], most integer)
        RETURNS TABLE (repo integer, name text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        SELECT r.repo, r.name FROM shirube.repositories r
        WHERE r.name LIKE ANY (SELECT replace(replace(replace(replace(p, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
                FROM unnest(patterns) p)
            AND r.name LIKE ANY (SELECT replace(replace(replace(replace(w, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
                FROM unnest(wanted) w)
            AND EXISTS (SELECT FROM shirube.refs f WHERE f.repo = r.repo)
        ORDER BY r.name LIMIT most $$;
    REVOKE ALL ON FUNCTION shirube.holder(bytea), shirube.granted(text[], text[], integer) FROM PUBLIC
