-- The users who created keys, so far only in words for people: by name and id, or by id alone.
ALTER TABLE "api_keys" ADD COLUMN "created_by_user_id" TEXT;

UPDATE "api_keys" k SET "created_by_user_id" = m."user_id"
  FROM "memberships" m
 WHERE m."organization_id" = k."organization_id" AND k."created_by" <> ''
   AND m."user_id" IN (k."created_by", substring(k."created_by" FROM ' \(([^()]*)\)$'));
