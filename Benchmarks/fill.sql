-- Fills the tables that the server made of schema.graphql; the server must not run. Bind @items first.
-- Rows come in a shuffled order (a prime stride), as random ids would; ids, owners and topics are known to the load.
PRAGMA synchronous = OFF;
PRAGMA cache_size = -1000000;
BEGIN;

WITH RECURSIVE "counter"("step") AS (SELECT 0 UNION ALL SELECT "step" + 1 FROM "counter" WHERE "step" + 1 < @items),
    "numbers"("n") AS (SELECT "step" * 611953 % @items FROM "counter")
INSERT INTO "Article" ("id", "owner", "status", "topic", "rank", "title", "body", "createdAt", "updatedAt")
SELECT printf('article-%07d', "n"),
    printf('owner-%05d', "n" % (@items / 100)), -- A hundred articles each.
    iif("n" % 100 = 0, 'rare', iif("n" % 3 = 0, 'draft', 'published')), -- Ten of a topic's thousand are rare.
    printf('topic-%04d', "n" / 1000),
    "n" % 1000,
    printf('The title of article %d', "n"),
    printf('Some words that stand for the body of article %d.', "n"),
    strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + "n", 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + "n", 'unixepoch')
FROM "numbers";

WITH RECURSIVE "numbers"("n") AS (SELECT 0 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" + 1 < 100)
INSERT INTO "User" ("id", "username", "createdAt", "updatedAt")
SELECT printf('user-%02d', "n"), printf('User %d', "n"), '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
FROM "numbers";

WITH RECURSIVE "numbers"("n") AS (SELECT 0 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" + 1 < 100)
INSERT INTO "Thread" ("id", "name", "createdAt", "updatedAt")
SELECT printf('thread-%02d', "n"), printf('Thread %d', "n"), '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
FROM "numbers";

-- Twenty messages a thread, each by another author.
WITH RECURSIVE "numbers"("n") AS (SELECT 0 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" + 1 < 2000)
INSERT INTO "Message" ("id", "threadId", "authorId", "body", "createdAt", "updatedAt")
SELECT printf('message-%04d', "n"), printf('thread-%02d', "n" % 100), printf('user-%02d', "n" / 100 * 7 % 100),
    printf('Hello there, this is message number %d.', "n"),
    strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + "n", 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + "n", 'unixepoch')
FROM "numbers";

COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
