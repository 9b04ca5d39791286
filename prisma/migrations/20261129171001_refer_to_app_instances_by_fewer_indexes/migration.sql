-- An instance keeps its ordinal, so that those who copy it need not be told. Both constraints are made again, to need
-- fewer indexes; the next migration checks the rows that there are.
ALTER TABLE "app_instance_shares" DROP CONSTRAINT "app_instance_shares_organization_id_app_instance_id_app_in_fkey";
ALTER TABLE "app_instance_shares" ADD CONSTRAINT "app_instance_shares_organization_id_app_instance_id_fkey"
  FOREIGN KEY ("organization_id", "app_instance_id") REFERENCES "app_instances" ("organization_id", "id")
  ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "app_resources" DROP CONSTRAINT "app_resources_organization_id_app_instance_id_team_id_fkey";
-- In the same transaction, so that no row escapes the constraint.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX "app_instances_organization_id_id_team_id_key";
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_organization_id_app_instance_id_team_id_fkey"
  FOREIGN KEY ("organization_id", "app_instance_id", "team_id") REFERENCES "app_instances" ("organization_id", "id", "team_id")
  ON DELETE RESTRICT ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED NOT VALID;
