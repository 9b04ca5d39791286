ALTER TABLE "audit_events" ADD COLUMN "changed_fields" TEXT[] NOT NULL DEFAULT '{}';

-- The names that keys may have as permissions; there is no other place for a longer list.
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_permissions_known";
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_permissions_known" CHECK ("permissions" <@ ARRAY[
  'access:read', 'access:write', 'apps:read', 'apps:write', 'tickets:read', 'tickets:write',
  'entities:read', 'entities:write', 'users:read', 'users:write', 'ingestion:write', 'audit:read'
]::text[]) NOT VALID;
ALTER TABLE "api_keys" VALIDATE CONSTRAINT "api_keys_permissions_known";

-- Pages of a team's objects.
CREATE INDEX "entity_types_organization_id_team_id_ordinal_idx" ON "entity_types" ("organization_id", "team_id", "ordinal");
DROP INDEX "entity_types_organization_id_team_id_idx";
CREATE INDEX "priorities_organization_id_team_id_ordinal_idx" ON "priorities" ("organization_id", "team_id", "ordinal");
CREATE INDEX "access_policies_organization_id_team_id_ordinal_idx" ON "access_policies" ("organization_id", "team_id", "ordinal");
DROP INDEX "access_policies_organization_id_team_id_idx";
