CREATE INDEX CONCURRENTLY "memberships_display_name_idx" ON "memberships" (
  "organization_id",
  (lower(coalesce(nullif("directory_attributes" #>> '{displayName}', ''), nullif(btrim("first_name" || ' ' || "last_name"), ''))) COLLATE "C"),
  "ordinal"
) WHERE "directory_deleted_at" IS NULL;
