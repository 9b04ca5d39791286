CREATE TABLE "member_counts" (
    "organization_id" TEXT NOT NULL,
    "bucket" BIGINT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "members" BIGINT NOT NULL,

    CONSTRAINT "member_counts_pkey" PRIMARY KEY ("organization_id", "bucket", "id")
);

ALTER TABLE "member_counts" ADD CONSTRAINT "member_counts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Rows are added, never changed: writers of one organization do not wait for each other. In a cluster an insertion
-- cannot read the rows of a statement, so each sum is inserted by itself.
CREATE FUNCTION "count_added_members"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted record;
BEGIN
  FOR counted IN
    SELECT "organization_id", "ordinal" >> 9 AS "bucket", count(*) AS "members" FROM "added"
     WHERE "directory_deleted_at" IS NULL GROUP BY 1, 2
  LOOP
    INSERT INTO "member_counts" ("organization_id", "bucket", "members")
    VALUES (counted."organization_id", counted."bucket", counted."members");
  END LOOP;
  RETURN NULL;
END
$$;

CREATE FUNCTION "count_changed_member"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "member_counts" ("organization_id", "bucket", "members")
  VALUES (NEW."organization_id", NEW."ordinal" >> 9, CASE WHEN NEW."directory_deleted_at" IS NULL THEN 1 ELSE -1 END);
  RETURN NULL;
END
$$;

CREATE FUNCTION "count_removed_member"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "member_counts" ("organization_id", "bucket", "members")
  VALUES (OLD."organization_id", OLD."ordinal" >> 9, -1);
  RETURN NULL;
END
$$;

-- Nothing of a cluster but the permission to have triggers on its tables; otherwise without effect.
SET LOCAL citus.enable_unsafe_triggers = on;

CREATE TRIGGER "memberships_added_are_counted" AFTER INSERT ON "memberships"
  REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "count_added_members"();
CREATE TRIGGER "memberships_changed_are_counted" AFTER UPDATE OF "directory_deleted_at" ON "memberships" FOR EACH ROW
  WHEN ((OLD."directory_deleted_at" IS NULL) <> (NEW."directory_deleted_at" IS NULL))
  EXECUTE FUNCTION "count_changed_member"();
CREATE TRIGGER "memberships_removed_are_counted" AFTER DELETE ON "memberships" FOR EACH ROW
  WHEN (OLD."directory_deleted_at" IS NULL) EXECUTE FUNCTION "count_removed_member"();

-- The triggers have locked the table: none is added meanwhile.
INSERT INTO "member_counts" ("organization_id", "bucket", "members")
SELECT "organization_id", "ordinal" >> 9, count(*) FROM "memberships"
 WHERE "directory_deleted_at" IS NULL GROUP BY 1, 2;
