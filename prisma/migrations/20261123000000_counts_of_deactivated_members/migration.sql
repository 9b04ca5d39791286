ALTER TABLE "member_counts" ADD COLUMN "deactivated" BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION "count_added_members"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted record;
BEGIN
  FOR counted IN
    SELECT "organization_id", "ordinal" >> 9 AS "bucket", count(*) AS "members",
           count(*) FILTER (WHERE "deactivated_at" IS NOT NULL) AS "deactivated"
      FROM "added" WHERE "directory_deleted_at" IS NULL GROUP BY 1, 2
  LOOP
    INSERT INTO "member_counts" ("organization_id", "bucket", "members", "deactivated")
    VALUES (counted."organization_id", counted."bucket", counted."members", counted."deactivated");
  END LOOP;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "count_removed_member"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "member_counts" ("organization_id", "bucket", "members", "deactivated")
  VALUES (OLD."organization_id", OLD."ordinal" >> 9, -1, CASE WHEN OLD."deactivated_at" IS NULL THEN 0 ELSE -1 END);
  RETURN NULL;
END
$$;

-- Beside "count_changed_member", which counts the same change of a member whom the directory deletes or restores.
CREATE FUNCTION "count_deactivated_member"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "member_counts" ("organization_id", "bucket", "members", "deactivated")
  VALUES (
    NEW."organization_id", NEW."ordinal" >> 9, 0,
    CASE WHEN NEW."deactivated_at" IS NOT NULL AND NEW."directory_deleted_at" IS NULL THEN 1 ELSE -1 END
  );
  RETURN NULL;
END
$$;

-- Nothing of a cluster but the permission to have triggers on its tables; otherwise without effect.
SET LOCAL citus.enable_unsafe_triggers = on;

CREATE TRIGGER "memberships_deactivated_are_counted" AFTER UPDATE OF "deactivated_at", "directory_deleted_at" ON "memberships"
  FOR EACH ROW
  WHEN (
    (OLD."deactivated_at" IS NOT NULL AND OLD."directory_deleted_at" IS NULL)
    <> (NEW."deactivated_at" IS NOT NULL AND NEW."directory_deleted_at" IS NULL)
  )
  EXECUTE FUNCTION "count_deactivated_member"();

-- The trigger has locked the members, and this the rows that the sweeper puts together: each bucket has one at least.
LOCK TABLE "member_counts" IN SHARE ROW EXCLUSIVE MODE;
UPDATE "member_counts" c SET "deactivated" = d."deactivated"
  FROM (
    SELECT "organization_id", "ordinal" >> 9 AS "bucket", count(*) AS "deactivated" FROM "memberships"
     WHERE "deactivated_at" IS NOT NULL AND "directory_deleted_at" IS NULL GROUP BY 1, 2
  ) d
  JOIN (
    SELECT DISTINCT ON ("organization_id", "bucket") "organization_id", "bucket", "id" FROM "member_counts"
  ) one ON one."organization_id" = d."organization_id" AND one."bucket" = d."bucket"
 WHERE c."organization_id" = one."organization_id" AND c."bucket" = one."bucket" AND c."id" = one."id";
