-- A page of one team, or of one organization, must not be read by walking the rows of all of them: the only index in the
-- order of creation is the one that starts with the owner.
CREATE UNIQUE INDEX "memberships_organization_id_ordinal_key" ON "memberships"("organization_id", "ordinal");
DROP INDEX "memberships_organization_id_ordinal_idx";
DROP INDEX "memberships_ordinal_key";

CREATE UNIQUE INDEX "app_instances_team_id_ordinal_key" ON "app_instances"("team_id", "ordinal");
DROP INDEX "app_instances_team_id_ordinal_idx";
DROP INDEX "app_instances_ordinal_key";
-- Shares look instances up by it. A hash has no order that could be walked.
CREATE INDEX "app_instances_ordinal_idx" ON "app_instances" USING HASH ("ordinal");

CREATE UNIQUE INDEX "sla_definitions_team_id_ordinal_key" ON "sla_definitions"("team_id", "ordinal");
DROP INDEX "sla_definitions_team_id_ordinal_idx";
DROP INDEX "sla_definitions_ordinal_key";

CREATE UNIQUE INDEX "entity_ingestion_configs_team_id_ordinal_key" ON "entity_ingestion_configs"("team_id", "ordinal");
DROP INDEX "entity_ingestion_configs_team_id_ordinal_idx";
DROP INDEX "entity_ingestion_configs_ordinal_key";

-- The events of a team, for those who may see no others.
CREATE INDEX "audit_events_team_id_occurred_at_id_idx" ON "audit_events"("team_id", "occurred_at", "id");
