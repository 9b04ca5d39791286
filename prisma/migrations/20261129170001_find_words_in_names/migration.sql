-- A search reads what is not yet in its place in the index as well: at most so many kB.
CREATE INDEX CONCURRENTLY "app_resources_words_idx" ON "app_resources" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "app_instances_words_idx" ON "app_instances" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "sla_definitions_words_idx" ON "sla_definitions" USING GIN (search_words("organization_id", "name"))
  WITH (gin_pending_list_limit = 256);
CREATE INDEX CONCURRENTLY "entity_ingestion_configs_words_idx" ON "entity_ingestion_configs" USING GIN (search_words("organization_id", "service_name"))
  WITH (gin_pending_list_limit = 256);
