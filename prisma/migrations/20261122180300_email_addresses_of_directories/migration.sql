CREATE INDEX CONCURRENTLY "memberships_directory_emails_idx" ON "memberships"
  USING GIN ((lower(("directory_attributes" -> 'emails')::text)::jsonb) jsonb_path_ops)
  WHERE "directory_attributes" IS NOT NULL;
