-- A search reads what is not yet in its place in the index as well: at most so many kB.
CREATE INDEX CONCURRENTLY "groups_words_idx" ON "groups" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "teams_words_idx" ON "teams" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "access_policies_words_idx" ON "access_policies" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "entity_types_words_idx" ON "entity_types" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "journeys_words_idx" ON "journeys" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
