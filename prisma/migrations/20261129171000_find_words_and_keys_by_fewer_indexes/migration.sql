CREATE INDEX CONCURRENTLY "memberships_words_idx" ON "memberships"
  USING GIN (search_words("organization_id", "email" || ' ' || "first_name" || ' ' || "last_name"))
  WITH (gin_pending_list_limit = 256);
CREATE UNIQUE INDEX CONCURRENTLY "api_keys_secret_hash_organization_id_key" ON "api_keys" ("secret_hash", "organization_id");
CREATE UNIQUE INDEX CONCURRENTLY "app_instances_id_organization_id_team_id_key" ON "app_instances" ("id", "organization_id", "team_id");
