-- The first schema. Conventions:
--   root, n        an id under a root: the root's 16 bytes, and its number there. A column called after another thing
--                  (task, hop, parent, asker, owner) is that thing's number under the same root; where the root may be
--                  another one, it stands beside it (task_root, conversation_root).
--   tenant         in every row: whose it is.
--   doc            the row as JSON, where it is written seldom or can be large. The other columns are what rows are
--                  found by; they repeat what doc says. Rows without one are written often, and are columns alone.
--   time           milliseconds since the Unix epoch.
-- Tables of small rows that are found by their key are WITHOUT ROWID; rows that can be large, and rows keyed by random
-- bytes, are appended to a rowid table with a narrow unique index.

CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last_now INTEGER
);
INSERT INTO meta (one) VALUES (1);

-- Tenants and their catalogue -------------------------------------------------------------------------------------

CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    doc TEXT NOT NULL
);

CREATE TABLE principal (
    tenant INTEGER NOT NULL,
    party TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (tenant, party)
) WITHOUT ROWID;

CREATE TABLE api_key (
    digest BLOB PRIMARY KEY,
    tenant INTEGER NOT NULL,
    -- For whom it speaks.
    party TEXT NOT NULL,
    made INTEGER NOT NULL,
    revoked INTEGER,
    doc TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX api_key_of_party ON api_key (tenant, party);

CREATE TABLE agent (
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    current BLOB NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
CREATE INDEX agent_of_owner ON agent (tenant, owner);

-- Apart from agent, since it changes with every act.
CREATE TABLE workload (
    tenant INTEGER NOT NULL,
    agent TEXT NOT NULL,
    leased INTEGER NOT NULL,
    open INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent)
) WITHOUT ROWID;

CREATE TABLE version (
    tenant INTEGER NOT NULL,
    agent TEXT NOT NULL,
    digest BLOB NOT NULL,
    doc TEXT NOT NULL,
    UNIQUE (tenant, agent, digest)
);

-- Roots and conversations -----------------------------------------------------------------------------------------

CREATE TABLE root (
    id BLOB PRIMARY KEY,
    tenant INTEGER NOT NULL,
    principal TEXT NOT NULL,
    responsible TEXT,
    made INTEGER NOT NULL,
    next INTEGER NOT NULL,
    evidence INTEGER NOT NULL,
    open_tasks INTEGER NOT NULL,
    ended INTEGER
) WITHOUT ROWID;
CREATE INDEX root_of_principal ON root (tenant, principal, id);

CREATE TABLE conversation (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- The conversation that it consults, if it is a fold.
    consults_root BLOB,
    consults INTEGER,
    alias TEXT,
    -- The one who opened it, and the one it was opened with.
    creator TEXT NOT NULL,
    other TEXT,
    made INTEGER NOT NULL,
    -- The versions at which they take part.
    creator_version BLOB,
    other_version BLOB,
    open INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    open_tasks INTEGER NOT NULL,
    PRIMARY KEY (root, n)
) WITHOUT ROWID;
CREATE INDEX conversation_standing ON conversation (root, creator, other) WHERE kind = 'standing' AND open = 1;
CREATE INDEX conversation_by_alias ON conversation (tenant, creator, other, alias) WHERE alias IS NOT NULL;

-- Who takes part; written when the conversation is opened. What they may see hangs on it.
CREATE TABLE participant (
    tenant INTEGER NOT NULL,
    party TEXT NOT NULL,
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (tenant, party, root, n)
) WITHOUT ROWID;

CREATE TABLE act (
    root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    envelope TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (root, conversation, seq)
);

-- Each row holds the events that one batch logged in a conversation, about one task or none.
CREATE TABLE event (
    root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    -- The number of the last one in here; they are numbered up to it without a gap.
    last INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    task_root BLOB,
    task INTEGER,
    -- The number in the task of the last one that is about it.
    task_last INTEGER,
    at INTEGER NOT NULL,
    -- JSON: of each its kind, its number in the task or 0, and what it says of itself.
    events TEXT NOT NULL,
    UNIQUE (root, conversation, last)
);
CREATE UNIQUE INDEX event_of_task ON event (task_root, task, task_last) WHERE task IS NOT NULL;

-- Tasks and the work on them --------------------------------------------------------------------------------------

CREATE TABLE task (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    parent INTEGER,
    conversation_root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    requester TEXT NOT NULL,
    debtor TEXT NOT NULL,
    work_id TEXT,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    open INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    due INTEGER,
    changed INTEGER NOT NULL,
    -- What was asked: written once.
    made TEXT NOT NULL,
    -- Where it stands.
    now TEXT NOT NULL,
    UNIQUE (root, n)
);
CREATE INDEX task_due ON task (due) WHERE due IS NOT NULL;
CREATE INDEX task_mailbox ON task (tenant, debtor, root, n) WHERE open = 1;
CREATE INDEX task_children ON task (root, parent) WHERE open = 1 AND parent IS NOT NULL;
CREATE INDEX task_queue ON task (conversation_root, conversation, debtor) WHERE open = 1;
CREATE INDEX task_in_conversation ON task (conversation_root, conversation);
CREATE INDEX task_of_requester ON task (tenant, requester, changed, root, n) WHERE parent IS NULL;
CREATE INDEX task_by_work_id ON task (tenant, work_id) WHERE work_id IS NOT NULL;
CREATE INDEX task_dead ON task (tenant, root, n) WHERE delivery = 'dead';

CREATE TABLE hop (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    task INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    agent TEXT NOT NULL,
    version BLOB NOT NULL,
    conversation_root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    evidence INTEGER NOT NULL,
    made INTEGER NOT NULL,
    activation TEXT NOT NULL,
    -- While it is leased: the lease and the digest of its token.
    lease INTEGER,
    token BLOB,
    -- While it is parked: what for, as JSON.
    wait TEXT,
    PRIMARY KEY (root, n)
) WITHOUT ROWID;
CREATE INDEX hop_of_task ON hop (root, task);

CREATE TABLE ledger (
    root BLOB NOT NULL,
    hop INTEGER NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (root, hop, n)
) WITHOUT ROWID;

CREATE TABLE lease (
    token BLOB NOT NULL UNIQUE,
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    hop INTEGER NOT NULL,
    task INTEGER NOT NULL,
    worker TEXT NOT NULL,
    made INTEGER NOT NULL,
    until INTEGER NOT NULL,
    -- While it lives: when it may be swept.
    due INTEGER,
    -- Once it has ended: how, and what its last operation was answered, as JSON.
    ended_by TEXT,
    receipt TEXT,
    -- Steps that its run has not come to, as JSON.
    unread TEXT
);
CREATE INDEX lease_due ON lease (due) WHERE due IS NOT NULL;

-- Of an agent in a conversation: at most one live lease (I7), and what may be claimed next.
CREATE TABLE slot (
    root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    agent TEXT NOT NULL,
    tenant INTEGER NOT NULL,
    version BLOB NOT NULL,
    leased_root BLOB,
    leased INTEGER,
    class INTEGER,
    due INTEGER,
    task_root BLOB,
    task INTEGER,
    PRIMARY KEY (root, conversation, agent)
) WITHOUT ROWID;
CREATE INDEX slot_ready ON slot (tenant, agent, class, due, version) WHERE leased IS NULL AND class IS NOT NULL;

CREATE TABLE ask (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    asker INTEGER NOT NULL,
    addressee_task_root BLOB,
    addressee_task INTEGER,
    addressee_party TEXT,
    open INTEGER NOT NULL,
    -- Its deadline while it is open.
    due INTEGER,
    doc TEXT NOT NULL,
    PRIMARY KEY (root, n)
) WITHOUT ROWID;
CREATE INDEX ask_to_task ON ask (addressee_task_root, addressee_task) WHERE open = 1 AND addressee_task IS NOT NULL;
CREATE INDEX ask_to_party ON ask (tenant, addressee_party, root, n) WHERE open = 1 AND addressee_party IS NOT NULL;
CREATE INDEX ask_of_task ON ask (root, asker) WHERE open = 1;
CREATE INDEX ask_due ON ask (due) WHERE due IS NOT NULL;

CREATE TABLE task_group (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    -- Its deadline while it waits.
    due INTEGER,
    doc TEXT NOT NULL,
    UNIQUE (root, n)
);
CREATE INDEX group_due ON task_group (due) WHERE due IS NOT NULL;

CREATE TABLE commitment (
    root BLOB NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    debtor TEXT NOT NULL,
    creditor TEXT NOT NULL,
    creditor_task INTEGER,
    fingerprint BLOB NOT NULL,
    task INTEGER NOT NULL,
    made INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- Once it is satisfied: the root's evidence then.
    evidence INTEGER,
    changed INTEGER NOT NULL,
    PRIMARY KEY (root, n)
) WITHOUT ROWID;
-- The backstop of I10. What one debtor owed under a root is found among all that was owed under it.
CREATE UNIQUE INDEX commitment_binds ON commitment (root, debtor, fingerprint)
    WHERE status IN ('conditional', 'active');

-- Keys, steps and claims: one concept.
CREATE TABLE receipt (
    key BLOB NOT NULL UNIQUE,
    tenant INTEGER NOT NULL,
    task_root BLOB,
    task INTEGER,
    ordinal INTEGER,
    expires INTEGER,
    doc TEXT NOT NULL
);
CREATE UNIQUE INDEX receipt_of_step ON receipt (task_root, task, ordinal) WHERE task IS NOT NULL;
CREATE INDEX receipt_expires ON receipt (expires) WHERE expires IS NOT NULL;

-- What reaches principals, and what is kept -----------------------------------------------------------------------

CREATE TABLE inbox (
    tenant INTEGER NOT NULL,
    principal TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (tenant, principal)
) WITHOUT ROWID;

CREATE TABLE inbox_entry (
    tenant INTEGER NOT NULL,
    principal TEXT NOT NULL,
    n INTEGER NOT NULL,
    act_root BLOB NOT NULL,
    act_conversation INTEGER NOT NULL,
    act_seq INTEGER NOT NULL,
    task_root BLOB,
    task INTEGER,
    ask_root BLOB,
    ask INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (tenant, principal, n)
) WITHOUT ROWID;

CREATE TABLE artifact (
    root BLOB NOT NULL,
    digest BLOB NOT NULL,
    tenant INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    name TEXT NOT NULL,
    made INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (root, digest)
);

-- In which conversations an artifact was brought or named: who sees one of them may read it.
CREATE TABLE mention (
    root BLOB NOT NULL,
    digest BLOB NOT NULL,
    conversation_root BLOB NOT NULL,
    conversation INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    PRIMARY KEY (root, digest, conversation_root, conversation)
) WITHOUT ROWID;

CREATE TABLE late_result (
    root BLOB NOT NULL,
    task INTEGER NOT NULL,
    n INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    doc TEXT NOT NULL,
    UNIQUE (root, task, n)
);
