-- CreateEnum
CREATE TYPE "region" AS ENUM ('us', 'eu');

-- CreateEnum
CREATE TYPE "user_role" AS ENUM ('ORG_ADMIN', 'ORG_MEMBER', 'ORG_GUEST');

-- CreateEnum
CREATE TYPE "field_owner" AS ENUM ('AUTOMATION', 'PINNED', 'DIRECTORY');

-- CreateEnum
CREATE TYPE "team_user_role" AS ENUM ('MANAGER', 'BUILDER', 'AGENT', 'CONTRIBUTOR', 'VIEWER');

-- CreateEnum
CREATE TYPE "api_key_kind" AS ENUM ('pk', 'wk', 'mk');

-- CreateEnum
CREATE TYPE "api_key_revocation" AS ENUM ('LEAK_REPORT', 'OPERATOR', 'ROTATION', 'USER');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('USER', 'API_KEY', 'WORKER', 'DIRECTORY', 'ANONYMOUS', 'SYSTEM');

-- CreateEnum
CREATE TYPE "approver_justification_mode" AS ENUM ('UNSET', 'NONE', 'OPTIONAL', 'REQUIRED');

-- CreateEnum
CREATE TYPE "approver_kind" AS ENUM ('APP_OWNER', 'MANAGER', 'USER', 'GROUP');

-- CreateEnum
CREATE TYPE "journey_task_status" AS ENUM ('UNSPECIFIED', 'TODO', 'IN_PROGRESS', 'DONE', 'CANCELED');

-- CreateEnum
CREATE TYPE "workflow_run_status" AS ENUM ('UNSPECIFIED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'DENIED', 'CANCELED');

-- CreateEnum
CREATE TYPE "journey_health_check_type" AS ENUM ('UNSPECIFIED', 'STATUS_CHECK', 'WORKFLOW_RUN', 'FORM_CONFIRMATION');

-- CreateEnum
CREATE TYPE "journey_health_check_status" AS ENUM ('UNSPECIFIED', 'FAILING', 'WARNING', 'PASSING', 'RUNNING', 'NO_DATA', 'CANCELED');

-- CreateEnum
CREATE TYPE "data_type" AS ENUM ('UNSPECIFIED', 'TEXT', 'NUMBER', 'BOOL', 'TIMESTAMP', 'ENUM', 'ENTITY_REF', 'USER_REF', 'UNIQUE', 'MULTI_SELECT', 'FILE');

-- CreateEnum
CREATE TYPE "sla_starting_point" AS ENUM ('UNSPECIFIED', 'TICKET_CREATED', 'SLA_ATTACHED', 'GROUP_ASSIGNED');

-- CreateEnum
CREATE TYPE "sla_metric" AS ENUM ('UNSPECIFIED', 'FIRST_RESPONSE', 'FIRST_HUMAN_RESPONSE', 'RESOLUTION');

-- CreateEnum
CREATE TYPE "sla_condition_type" AS ENUM ('UNSPECIFIED', 'START', 'PAUSE', 'STOP');

-- CreateTable
CREATE TABLE "organizations" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "region" "region" NOT NULL DEFAULT 'us',
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "teams" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "teams_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL GENERATED ALWAYS AS (lower("email" COLLATE "C")) STORED,
    "in_several_organizations" BOOLEAN NOT NULL DEFAULT false,
    "role" "user_role" NOT NULL DEFAULT 'ORG_MEMBER',
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "avatar_url" TEXT NOT NULL DEFAULT '',
    "timezone" TEXT NOT NULL DEFAULT '',
    "locale" TEXT NOT NULL DEFAULT '',
    "department" TEXT NOT NULL DEFAULT '',
    "job_title" TEXT NOT NULL DEFAULT '',
    "primary_phone" TEXT,
    "manager_user_id" TEXT,
    "manager_assigned_at" TIMESTAMPTZ(3),
    "directory_managed" BOOLEAN NOT NULL DEFAULT false,
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deactivated_at" TIMESTAMPTZ(3),
    "sessions_ended_at" TIMESTAMPTZ(3),
    "directory_external_id" TEXT,
    "directory_user_name" TEXT,
    "directory_attributes" JSONB,
    "directory_deleted_at" TIMESTAMPTZ(3),
    "first_name_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "first_name_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_name_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "last_name_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "avatar_url_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "avatar_url_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "timezone_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "timezone_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locale_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "locale_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "department_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "department_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "job_title_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "job_title_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "manager_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "manager_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "primary_phone_owner" "field_owner" NOT NULL DEFAULT 'AUTOMATION',
    "primary_phone_owned_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("organization_id","user_id")
);

-- CreateTable
CREATE TABLE "team_members" (
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "team_user_role" NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "team_members_pkey" PRIMARY KEY ("organization_id","team_id","user_id")
);

-- CreateTable
CREATE TABLE "groups" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "directory_managed" BOOLEAN NOT NULL DEFAULT false,
    "directory_external_id" TEXT,
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "groups_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "group_members" (
    "organization_id" TEXT NOT NULL,
    "group_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("organization_id","group_id","user_id")
);

-- CreateTable
CREATE TABLE "source_profiles" (
    "organization_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "profile" JSONB NOT NULL,
    "profile_hash" BYTEA NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "source_profiles_pkey" PRIMARY KEY ("organization_id","source","external_id")
);

-- CreateTable
CREATE TABLE "department_options" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "department_options_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT,
    "kind" "api_key_kind" NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "secret_hash" BYTEA NOT NULL,
    "permissions" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by" "api_key_revocation",
    "created_by" TEXT NOT NULL DEFAULT '',
    "expires_at" TIMESTAMPTZ(3),
    "chain_id" TEXT NOT NULL,
    "rotation" INTEGER NOT NULL DEFAULT 0,
    "previous_rotation" INTEGER,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "api_key_sessions" (
    "organization_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_key_sessions_pkey" PRIMARY KEY ("organization_id","token_hash")
);

-- CreateTable
CREATE TABLE "user_tokens" (
    "token_hash" BYTEA NOT NULL,
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_tokens_pkey" PRIMARY KEY ("organization_id","token_hash")
);

-- CreateTable
CREATE TABLE "revoke_attempts" (
    "client_address" TEXT NOT NULL,
    "accepted_at" TIMESTAMPTZ(6)[],

    CONSTRAINT "revoke_attempts_pkey" PRIMARY KEY ("client_address")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "name" TEXT NOT NULL,
    "key" BYTEA NOT NULL,

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" UUID NOT NULL,
    "organization_id" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "actor_name" TEXT NOT NULL DEFAULT '',
    "action" TEXT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL DEFAULT '',
    "request_id" TEXT NOT NULL DEFAULT '',
    "changes" JSON NOT NULL DEFAULT '[]',
    "changed_fields" TEXT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "event_outbox" (
    "organization_id" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "first_event_id" UUID NOT NULL,
    "last_event_id" UUID NOT NULL,
    "event_count" INTEGER NOT NULL,

    CONSTRAINT "event_outbox_pkey" PRIMARY KEY ("organization_id","ordinal")
);

-- CreateTable
CREATE TABLE "event_feed" (
    "organization_id" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "first_event_id" UUID NOT NULL,
    "last_event_id" UUID NOT NULL,
    "event_count" INTEGER NOT NULL,
    "sequenced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("organization_id","position")
);

-- CreateTable
CREATE TABLE "event_heads" (
    "organization_id" TEXT NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_heads_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "organization_id" TEXT NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "answer" TEXT,
    "entity_tag" TEXT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id","actor_kind","actor_id","method","key")
);

-- CreateTable
CREATE TABLE "access_policies" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "access_policies_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "approval_procedures" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "access_policy_id" TEXT NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approval_procedures_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "approval_steps" (
    "organization_id" TEXT NOT NULL,
    "procedure_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "stage_index" INTEGER NOT NULL,
    "step_index" INTEGER NOT NULL,
    "allow_self_approval" BOOLEAN NOT NULL,
    "approver_justification_mode" "approver_justification_mode" NOT NULL,
    "suppress_notifications" BOOLEAN NOT NULL,
    "auto_approve_self" BOOLEAN NOT NULL,
    "custom_workflow_id" TEXT,

    CONSTRAINT "approval_steps_pkey" PRIMARY KEY ("organization_id","procedure_id","id")
);

-- CreateTable
CREATE TABLE "approval_step_approvers" (
    "organization_id" TEXT NOT NULL,
    "procedure_id" TEXT NOT NULL,
    "step_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" "approver_kind" NOT NULL,
    "user_id" TEXT,
    "group_id" TEXT,
    "notify" BOOLEAN NOT NULL,

    CONSTRAINT "approval_step_approvers_pkey" PRIMARY KEY ("organization_id","procedure_id","step_id","position")
);

-- CreateTable
CREATE TABLE "app_instances" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "custom_service_id" TEXT NOT NULL DEFAULT '',
    "external_service_instance_id" TEXT NOT NULL DEFAULT '',
    "name" TEXT NOT NULL,
    "access_requests_enabled" BOOLEAN NOT NULL DEFAULT false,
    "default_access_policy_id" TEXT,
    "custom_service_name" TEXT NOT NULL DEFAULT '',
    "tag_ids" TEXT[],
    "integration_ids" TEXT[],
    "a2a_agent_card" JSON,
    "route_direct_from_worker" BOOLEAN NOT NULL DEFAULT false,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "app_instances_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "app_instance_shares" (
    "organization_id" TEXT NOT NULL,
    "app_instance_id" TEXT NOT NULL,
    "app_instance_ordinal" BIGINT NOT NULL,
    "team_id" TEXT NOT NULL,

    CONSTRAINT "app_instance_shares_pkey" PRIMARY KEY ("organization_id","app_instance_id","team_id")
);

-- CreateTable
CREATE TABLE "app_resources" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "app_instance_id" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "external_id" TEXT,
    "tag_ids" TEXT[],
    "scoped_id" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "app_resources_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "priorities" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "priority" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "scoped_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_ai_selectable" BOOLEAN NOT NULL DEFAULT false,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "priorities_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "journeys" (
    "id" UUID NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "friendly_identifier" TEXT NOT NULL DEFAULT '',
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "archived_at" TIMESTAMPTZ(3),
    "requester_user_id" TEXT,
    "requester_manager_user_id" TEXT,
    "due_date" DATE,
    "metadata" JSON,
    "created_by_workflow_id" TEXT,
    "created_by_workflow_name" TEXT,
    "overdue_from" DATE NOT NULL DEFAULT 'infinity'::date,
    "is_failing" BOOLEAN NOT NULL DEFAULT false,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "journeys_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "journey_tasks" (
    "organization_id" TEXT NOT NULL,
    "journey_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "parent_task_id" UUID,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "assigned_to_user_id" TEXT NOT NULL DEFAULT '',
    "status" "journey_task_status" NOT NULL,
    "depends_on_ids" UUID[],
    "due_date" DATE,
    "is_status_check" BOOLEAN NOT NULL DEFAULT false,
    "polling_interval_ms" INTEGER NOT NULL DEFAULT 0,
    "latest_workflow_call" JSON,

    CONSTRAINT "journey_tasks_pkey" PRIMARY KEY ("organization_id","journey_id","id")
);

-- CreateTable
CREATE TABLE "journey_health_checks" (
    "organization_id" TEXT NOT NULL,
    "journey_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "task_id" TEXT NOT NULL DEFAULT '',
    "subtask_id" TEXT NOT NULL DEFAULT '',
    "workflow_id" TEXT NOT NULL DEFAULT '',
    "workflow_name" TEXT NOT NULL DEFAULT '',
    "workflow_call_id" TEXT NOT NULL DEFAULT '',
    "run_id" TEXT NOT NULL DEFAULT '',
    "type" "journey_health_check_type" NOT NULL,
    "status" "journey_health_check_status" NOT NULL,
    "due_date" DATE,

    CONSTRAINT "journey_health_checks_pkey" PRIMARY KEY ("organization_id","journey_id","id")
);

-- CreateTable
CREATE TABLE "journey_workflow_failures" (
    "organization_id" TEXT NOT NULL,
    "journey_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "workflow_call_id" TEXT NOT NULL DEFAULT '',
    "run_id" TEXT NOT NULL DEFAULT '',
    "workflow_id" TEXT NOT NULL DEFAULT '',
    "workflow_name" TEXT NOT NULL DEFAULT '',
    "task_id" TEXT NOT NULL DEFAULT '',
    "subtask_id" TEXT NOT NULL DEFAULT '',
    "run_status" "workflow_run_status" NOT NULL,
    "validation_errors" JSON,
    "status_check_result" JSON,
    "run_result" TEXT NOT NULL DEFAULT '',
    "run_completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "journey_workflow_failures_pkey" PRIMARY KEY ("organization_id","journey_id","position")
);

-- CreateTable
CREATE TABLE "journey_custom_fields" (
    "organization_id" TEXT NOT NULL,
    "journey_id" UUID NOT NULL,
    "field_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "field_key" TEXT NOT NULL DEFAULT '',
    "field_name" TEXT NOT NULL DEFAULT '',
    "data_type" "data_type" NOT NULL,
    "value" JSON,

    CONSTRAINT "journey_custom_fields_pkey" PRIMARY KEY ("organization_id","journey_id","field_id")
);

-- CreateTable
CREATE TABLE "sla_definitions" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "schedule_id" TEXT NOT NULL DEFAULT '',
    "policy_group" TEXT NOT NULL DEFAULT '',
    "target_duration_seconds" INTEGER NOT NULL,
    "use_calendar_time" BOOLEAN NOT NULL DEFAULT false,
    "use_assigned_group_schedule" BOOLEAN NOT NULL DEFAULT false,
    "attachment_criteria" JSON NOT NULL DEFAULT '[]',
    "starting_point" "sla_starting_point" NOT NULL,
    "metric" "sla_metric" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "archived_at" TIMESTAMPTZ(3),
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "sla_definitions_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "sla_conditions" (
    "organization_id" TEXT NOT NULL,
    "sla_definition_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "condition_type" "sla_condition_type" NOT NULL,
    "condition_rule" JSON,
    "resume_policy" TEXT NOT NULL DEFAULT '',
    "priority" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "sla_conditions_pkey" PRIMARY KEY ("organization_id","sla_definition_id","id")
);

-- CreateTable
CREATE TABLE "sla_actions" (
    "organization_id" TEXT NOT NULL,
    "sla_definition_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "workflow_id" TEXT NOT NULL DEFAULT '',
    "offset_seconds" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sla_actions_pkey" PRIMARY KEY ("organization_id","sla_definition_id","id")
);

-- CreateTable
CREATE TABLE "entity_types" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "entity_types_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "entity_ingestion_configs" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "app_instance_id" TEXT NOT NULL,
    "internal_entity_type_id" TEXT NOT NULL,
    "workflow_id" TEXT NOT NULL DEFAULT '',
    "service_name" TEXT NOT NULL DEFAULT '',
    "workflow_name" TEXT NOT NULL DEFAULT '',
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "is_workflow_published" BOOLEAN NOT NULL DEFAULT false,
    "has_ingestion_context" BOOLEAN NOT NULL DEFAULT false,
    "sync_deletions" BOOLEAN NOT NULL DEFAULT false,
    "sync_interval_seconds" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "entity_ingestion_configs_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "entity_field_mappings" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "entity_type_id" TEXT NOT NULL,
    "ingestion_config_id" TEXT NOT NULL,
    "internal_field_id" TEXT NOT NULL,
    "external_field_path" TEXT NOT NULL DEFAULT '',
    "priority" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "entity_field_mappings_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "directory_refusals" (
    "organization_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "api_key_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" BIGINT NOT NULL,
    "scim_type" TEXT NOT NULL DEFAULT '',
    "detail" TEXT NOT NULL,
    "request_id" TEXT NOT NULL DEFAULT '',
    "user_name" TEXT NOT NULL DEFAULT '',
    "external_id" TEXT NOT NULL DEFAULT '',
    "attribute" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "directory_refusals_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "organizations_ordinal_idx" ON "organizations"("ordinal");

-- CreateIndex
CREATE INDEX "teams_id_idx" ON "teams"("id");

-- CreateIndex
CREATE UNIQUE INDEX "teams_organization_id_ordinal_key" ON "teams"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_email_key_idx" ON "memberships"("email_key");

-- CreateIndex
CREATE INDEX "memberships_organization_id_manager_user_id_ordinal_idx" ON "memberships"("organization_id", "manager_user_id", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_department_ordinal_idx" ON "memberships"("organization_id", "department", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_role_ordinal_idx" ON "memberships"("organization_id", "role", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_first_name_owner_ordinal_idx" ON "memberships"("organization_id", "first_name_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_last_name_owner_ordinal_idx" ON "memberships"("organization_id", "last_name_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_avatar_url_owner_ordinal_idx" ON "memberships"("organization_id", "avatar_url_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_timezone_owner_ordinal_idx" ON "memberships"("organization_id", "timezone_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_locale_owner_ordinal_idx" ON "memberships"("organization_id", "locale_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_department_owner_ordinal_idx" ON "memberships"("organization_id", "department_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_job_title_owner_ordinal_idx" ON "memberships"("organization_id", "job_title_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_manager_owner_ordinal_idx" ON "memberships"("organization_id", "manager_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_organization_id_primary_phone_owner_ordinal_idx" ON "memberships"("organization_id", "primary_phone_owner", "ordinal");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "memberships_directory_external_id_unique" ON "memberships"("organization_id", "directory_external_id");

-- CreateIndex
CREATE UNIQUE INDEX "memberships_organization_id_ordinal_key" ON "memberships"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "team_members_organization_id_user_id_idx" ON "team_members"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "groups_directory_external_id_unique" ON "groups"("organization_id", "directory_external_id");

-- CreateIndex
CREATE UNIQUE INDEX "groups_organization_id_ordinal_key" ON "groups"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "group_members_organization_id_user_id_idx" ON "group_members"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "source_profiles_organization_id_user_id_change_ordinal_idx" ON "source_profiles"("organization_id", "user_id", "change_ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "department_options_name_unique" ON "department_options"("organization_id", "name");

-- CreateIndex
CREATE INDEX "api_keys_id_idx" ON "api_keys"("id");

-- CreateIndex
CREATE INDEX "api_keys_secret_hash_idx" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_team_id_ordinal_idx" ON "api_keys"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_organization_id_ordinal_key" ON "api_keys"("organization_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_organization_id_chain_id_rotation_key" ON "api_keys"("organization_id", "chain_id", "rotation");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_unique" ON "api_keys"("organization_id", "secret_hash");

-- CreateIndex
CREATE INDEX "api_key_sessions_token_hash_idx" ON "api_key_sessions"("token_hash");

-- CreateIndex
CREATE INDEX "api_key_sessions_organization_id_api_key_id_idx" ON "api_key_sessions"("organization_id", "api_key_id");

-- CreateIndex
CREATE INDEX "api_key_sessions_expires_at_idx" ON "api_key_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "user_tokens_token_hash_idx" ON "user_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "user_tokens_organization_id_user_id_idx" ON "user_tokens"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "user_tokens_expires_at_idx" ON "user_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_occurred_at_id_idx" ON "audit_events"("organization_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_target_id_occurred_at_id_idx" ON "audit_events"("organization_id", "target_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_action_occurred_at_id_idx" ON "audit_events"("organization_id", "action", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_actor_id_occurred_at_id_idx" ON "audit_events"("organization_id", "actor_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_request_id_occurred_at_id_idx" ON "audit_events"("organization_id", "request_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_team_id_occurred_at_id_idx" ON "audit_events"("organization_id", "team_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_actor_kind_occurred_at_id_idx" ON "audit_events"("organization_id", "actor_kind", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_organization_id_target_type_occurred_at_id_idx" ON "audit_events"("organization_id", "target_type", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "event_feed_first_event_id_organization_id_idx" ON "event_feed"("first_event_id", "organization_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_organization_id_expires_at_idx" ON "idempotency_keys"("organization_id", "expires_at");

-- CreateIndex
CREATE INDEX "priorities_organization_id_team_id_ordinal_idx" ON "priorities"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE INDEX "access_policies_organization_id_team_id_ordinal_idx" ON "access_policies"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE INDEX "access_policies_id_idx" ON "access_policies"("id");

-- CreateIndex
CREATE UNIQUE INDEX "access_policies_organization_id_ordinal_key" ON "access_policies"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "approval_procedures_organization_id_access_policy_id_ordina_idx" ON "approval_procedures"("organization_id", "access_policy_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "approval_procedures_organization_id_ordinal_key" ON "approval_procedures"("organization_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "approval_steps_organization_id_procedure_id_stage_index_ste_key" ON "approval_steps"("organization_id", "procedure_id", "stage_index", "step_index");

-- CreateIndex
CREATE INDEX "approval_step_approvers_organization_id_user_id_idx" ON "approval_step_approvers"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "approval_step_approvers_organization_id_group_id_idx" ON "approval_step_approvers"("organization_id", "group_id");

-- CreateIndex
CREATE INDEX "app_instances_organization_id_default_access_policy_id_idx" ON "app_instances"("organization_id", "default_access_policy_id");

-- CreateIndex
CREATE INDEX "app_instances_id_idx" ON "app_instances"("id");

-- CreateIndex
CREATE UNIQUE INDEX "app_instances_organization_id_id_team_id_key" ON "app_instances"("organization_id", "id", "team_id");

-- CreateIndex
CREATE UNIQUE INDEX "app_instances_organization_id_id_ordinal_key" ON "app_instances"("organization_id", "id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "app_instances_organization_id_team_id_ordinal_key" ON "app_instances"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "app_instances_organization_id_ordinal_key" ON "app_instances"("organization_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "app_instance_shares_organization_id_team_id_app_instance_or_key" ON "app_instance_shares"("organization_id", "team_id", "app_instance_ordinal");

-- CreateIndex
CREATE INDEX "app_resources_organization_id_team_id_ordinal_idx" ON "app_resources"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE INDEX "app_resources_organization_id_app_instance_id_ordinal_idx" ON "app_resources"("organization_id", "app_instance_id", "ordinal");

-- CreateIndex
CREATE INDEX "app_resources_organization_id_resource_type_ordinal_idx" ON "app_resources"("organization_id", "resource_type", "ordinal");

-- CreateIndex
CREATE INDEX "app_resources_organization_id_app_instance_id_resource_type_idx" ON "app_resources"("organization_id", "app_instance_id", "resource_type", "ordinal");

-- CreateIndex
CREATE INDEX "app_resources_organization_id_external_id_ordinal_idx" ON "app_resources"("organization_id", "external_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "app_resources_organization_id_ordinal_key" ON "app_resources"("organization_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "priorities_organization_id_ordinal_key" ON "priorities"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_team_id_ordinal_idx" ON "journeys"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_requester_user_id_ordinal_idx" ON "journeys"("organization_id", "requester_user_id", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_requester_manager_user_id_ordinal_idx" ON "journeys"("organization_id", "requester_manager_user_id", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_is_failing_ordinal_idx" ON "journeys"("organization_id", "is_failing", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_overdue_from_ordinal_idx" ON "journeys"("organization_id", "overdue_from", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_team_id_overdue_from_ordinal_idx" ON "journeys"("organization_id", "team_id", "overdue_from", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_requester_user_id_overdue_from_ord_idx" ON "journeys"("organization_id", "requester_user_id", "overdue_from", "ordinal");

-- CreateIndex
CREATE INDEX "journeys_organization_id_requester_manager_user_id_overdue__idx" ON "journeys"("organization_id", "requester_manager_user_id", "overdue_from", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "journeys_organization_id_ordinal_key" ON "journeys"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "journey_tasks_organization_id_journey_id_parent_task_id_idx" ON "journey_tasks"("organization_id", "journey_id", "parent_task_id");

-- CreateIndex
CREATE UNIQUE INDEX "sla_definitions_organization_id_team_id_ordinal_key" ON "sla_definitions"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "sla_definitions_organization_id_ordinal_key" ON "sla_definitions"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "entity_types_organization_id_team_id_ordinal_idx" ON "entity_types"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE INDEX "entity_types_id_idx" ON "entity_types"("id");

-- CreateIndex
CREATE UNIQUE INDEX "entity_types_organization_id_ordinal_key" ON "entity_types"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "entity_ingestion_configs_organization_id_team_id_app_instan_idx" ON "entity_ingestion_configs"("organization_id", "team_id", "app_instance_id", "ordinal");

-- CreateIndex
CREATE INDEX "entity_ingestion_configs_organization_id_app_instance_id_idx" ON "entity_ingestion_configs"("organization_id", "app_instance_id");

-- CreateIndex
CREATE INDEX "entity_ingestion_configs_organization_id_internal_entity_ty_idx" ON "entity_ingestion_configs"("organization_id", "internal_entity_type_id");

-- CreateIndex
CREATE UNIQUE INDEX "entity_ingestion_configs_organization_id_team_id_ordinal_key" ON "entity_ingestion_configs"("organization_id", "team_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "entity_ingestion_configs_organization_id_ordinal_key" ON "entity_ingestion_configs"("organization_id", "ordinal");

-- CreateIndex
CREATE INDEX "entity_field_mappings_organization_id_entity_type_id_priori_idx" ON "entity_field_mappings"("organization_id", "entity_type_id", "priority" DESC, "id");

-- CreateIndex
CREATE INDEX "entity_field_mappings_organization_id_entity_type_id_ingest_idx" ON "entity_field_mappings"("organization_id", "entity_type_id", "ingestion_config_id", "priority" DESC, "id");

-- CreateIndex
CREATE INDEX "entity_field_mappings_organization_id_ingestion_config_id_idx" ON "entity_field_mappings"("organization_id", "ingestion_config_id");

-- CreateIndex
CREATE UNIQUE INDEX "entity_field_mappings_organization_id_ordinal_key" ON "entity_field_mappings"("organization_id", "ordinal");

-- AddForeignKey
ALTER TABLE "teams" ADD CONSTRAINT "teams_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_organization_id_manager_user_id_fkey" FOREIGN KEY ("organization_id", "manager_user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "groups" ADD CONSTRAINT "groups_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id") REFERENCES "groups"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "source_profiles" ADD CONSTRAINT "source_profiles_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "department_options" ADD CONSTRAINT "department_options_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_chain_id_previous_rotation_fkey" FOREIGN KEY ("organization_id", "chain_id", "previous_rotation") REFERENCES "api_keys"("organization_id", "chain_id", "rotation") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_key_sessions" ADD CONSTRAINT "api_key_sessions_organization_id_api_key_id_fkey" FOREIGN KEY ("organization_id", "api_key_id") REFERENCES "api_keys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_tokens" ADD CONSTRAINT "user_tokens_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "event_heads" ADD CONSTRAINT "event_heads_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "access_policies" ADD CONSTRAINT "access_policies_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "approval_procedures" ADD CONSTRAINT "approval_procedures_organization_id_access_policy_id_fkey" FOREIGN KEY ("organization_id", "access_policy_id") REFERENCES "access_policies"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "approval_steps" ADD CONSTRAINT "approval_steps_organization_id_procedure_id_fkey" FOREIGN KEY ("organization_id", "procedure_id") REFERENCES "approval_procedures"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "approval_step_approvers" ADD CONSTRAINT "approval_step_approvers_organization_id_procedure_id_step__fkey" FOREIGN KEY ("organization_id", "procedure_id", "step_id") REFERENCES "approval_steps"("organization_id", "procedure_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "approval_step_approvers" ADD CONSTRAINT "approval_step_approvers_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "approval_step_approvers" ADD CONSTRAINT "approval_step_approvers_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id") REFERENCES "groups"("organization_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "app_instances" ADD CONSTRAINT "app_instances_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "app_instances" ADD CONSTRAINT "app_instances_organization_id_default_access_policy_id_fkey" FOREIGN KEY ("organization_id", "default_access_policy_id") REFERENCES "access_policies"("organization_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "app_instance_shares" ADD CONSTRAINT "app_instance_shares_organization_id_app_instance_id_app_in_fkey" FOREIGN KEY ("organization_id", "app_instance_id", "app_instance_ordinal") REFERENCES "app_instances"("organization_id", "id", "ordinal") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "app_instance_shares" ADD CONSTRAINT "app_instance_shares_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_organization_id_app_instance_id_team_id_fkey" FOREIGN KEY ("organization_id", "app_instance_id", "team_id") REFERENCES "app_instances"("organization_id", "id", "team_id") ON DELETE RESTRICT ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED;

-- AddForeignKey
ALTER TABLE "priorities" ADD CONSTRAINT "priorities_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journeys" ADD CONSTRAINT "journeys_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journeys" ADD CONSTRAINT "journeys_organization_id_requester_user_id_fkey" FOREIGN KEY ("organization_id", "requester_user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "journeys" ADD CONSTRAINT "journeys_organization_id_requester_manager_user_id_fkey" FOREIGN KEY ("organization_id", "requester_manager_user_id") REFERENCES "memberships"("organization_id", "user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "journey_tasks" ADD CONSTRAINT "journey_tasks_organization_id_journey_id_fkey" FOREIGN KEY ("organization_id", "journey_id") REFERENCES "journeys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journey_tasks" ADD CONSTRAINT "journey_tasks_organization_id_journey_id_parent_task_id_fkey" FOREIGN KEY ("organization_id", "journey_id", "parent_task_id") REFERENCES "journey_tasks"("organization_id", "journey_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journey_health_checks" ADD CONSTRAINT "journey_health_checks_organization_id_journey_id_fkey" FOREIGN KEY ("organization_id", "journey_id") REFERENCES "journeys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journey_workflow_failures" ADD CONSTRAINT "journey_workflow_failures_organization_id_journey_id_fkey" FOREIGN KEY ("organization_id", "journey_id") REFERENCES "journeys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "journey_custom_fields" ADD CONSTRAINT "journey_custom_fields_organization_id_journey_id_fkey" FOREIGN KEY ("organization_id", "journey_id") REFERENCES "journeys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sla_definitions" ADD CONSTRAINT "sla_definitions_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sla_conditions" ADD CONSTRAINT "sla_conditions_organization_id_sla_definition_id_fkey" FOREIGN KEY ("organization_id", "sla_definition_id") REFERENCES "sla_definitions"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sla_actions" ADD CONSTRAINT "sla_actions_organization_id_sla_definition_id_fkey" FOREIGN KEY ("organization_id", "sla_definition_id") REFERENCES "sla_definitions"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_types" ADD CONSTRAINT "entity_types_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_ingestion_configs" ADD CONSTRAINT "entity_ingestion_configs_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_ingestion_configs" ADD CONSTRAINT "entity_ingestion_configs_organization_id_app_instance_id_fkey" FOREIGN KEY ("organization_id", "app_instance_id") REFERENCES "app_instances"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_ingestion_configs" ADD CONSTRAINT "entity_ingestion_configs_organization_id_internal_entity_t_fkey" FOREIGN KEY ("organization_id", "internal_entity_type_id") REFERENCES "entity_types"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_field_mappings" ADD CONSTRAINT "entity_field_mappings_organization_id_entity_type_id_fkey" FOREIGN KEY ("organization_id", "entity_type_id") REFERENCES "entity_types"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "entity_field_mappings" ADD CONSTRAINT "entity_field_mappings_organization_id_ingestion_config_id_fkey" FOREIGN KEY ("organization_id", "ingestion_config_id") REFERENCES "entity_ingestion_configs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "directory_refusals" ADD CONSTRAINT "directory_refusals_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The rest is what schema.prisma cannot say.

-- Values that one statement may exchange between rows.
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_email_unique" UNIQUE ("organization_id", "email_key") DEFERRABLE;
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_primary_phone_unique" UNIQUE ("organization_id", "primary_phone") DEFERRABLE;
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_external_id_unique" UNIQUE ("organization_id", "app_instance_id", "resource_type", "external_id") DEFERRABLE;
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_scoped_id_unique" UNIQUE ("organization_id", "team_id", "scoped_id") DEFERRABLE;
ALTER TABLE "priorities" ADD CONSTRAINT "priorities_scoped_id_unique" UNIQUE ("organization_id", "team_id", "scoped_id") DEFERRABLE;

-- Ids that come in from outside: 1 to 128 of the unreserved characters of RFC 3986 and the colon. Their length is counted
-- apart: PostgreSQL would follow the states of `{1,128}` through each id, which takes 30 times as long.
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "teams" ADD CONSTRAINT "teams_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_format" CHECK ("user_id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("user_id") <= 128);
ALTER TABLE "groups" ADD CONSTRAINT "groups_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "department_options" ADD CONSTRAINT "department_options_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "access_policies" ADD CONSTRAINT "access_policies_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "approval_procedures" ADD CONSTRAINT "approval_procedures_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "approval_steps" ADD CONSTRAINT "approval_steps_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "app_instances" ADD CONSTRAINT "app_instances_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "priorities" ADD CONSTRAINT "priorities_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "journey_health_checks" ADD CONSTRAINT "journey_health_checks_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "sla_definitions" ADD CONSTRAINT "sla_definitions_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "sla_conditions" ADD CONSTRAINT "sla_conditions_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "sla_actions" ADD CONSTRAINT "sla_actions_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "entity_types" ADD CONSTRAINT "entity_types_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "entity_ingestion_configs" ADD CONSTRAINT "entity_ingestion_configs_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "entity_field_mappings" ADD CONSTRAINT "entity_field_mappings_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_scoped_id_format" CHECK ("scoped_id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("scoped_id") <= 64);
ALTER TABLE "priorities" ADD CONSTRAINT "priorities_scoped_id_format" CHECK ("scoped_id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("scoped_id") <= 64);

-- People.
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_email_not_empty" CHECK ("email" <> '');
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_manager_is_another" CHECK ("manager_user_id" <> "user_id");
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_manager_assigned_at_set" CHECK (("manager_user_id" IS NULL) = ("manager_assigned_at" IS NULL));
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_primary_phone_is_e164" CHECK ("primary_phone" ~ '^\+[1-9][0-9]+$' AND length("primary_phone") <= 16);
ALTER TABLE "department_options" ADD CONSTRAINT "department_options_name_not_empty" CHECK ("name" <> '');
ALTER TABLE "source_profiles" ADD CONSTRAINT "source_profiles_source_format" CHECK ("source" ~ '^[a-z0-9_.-]+$' AND length("source") <= 64);

-- Team roles that end.
CREATE INDEX "team_members_expires_at_idx" ON "team_members" ("organization_id", "expires_at", "team_id", "user_id")
  WHERE "expires_at" IS NOT NULL;
CREATE INDEX "team_members_team_id_expires_at_idx" ON "team_members" ("organization_id", "team_id", "expires_at", "user_id")
  WHERE "expires_at" IS NOT NULL;

-- Names and addresses by which directories find members and groups; lists are in the order of the ordinal.
CREATE UNIQUE INDEX "memberships_directory_user_name_unique"
  ON "memberships" ("organization_id", (lower("directory_user_name" COLLATE "C")))
  WHERE "directory_user_name" IS NOT NULL;
CREATE INDEX "memberships_user_name_idx" ON "memberships"
  ("organization_id", lower(coalesce("directory_user_name", "email_key") COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
CREATE INDEX "memberships_display_name_idx" ON "memberships" (
  "organization_id",
  (lower(coalesce(nullif("directory_attributes" #>> '{displayName}', ''), nullif(btrim("first_name" || ' ' || "last_name"), ''))) COLLATE "C"),
  "ordinal"
) WHERE "directory_deleted_at" IS NULL;
CREATE INDEX "memberships_family_name_idx" ON "memberships"
  ("organization_id", (lower(nullif("last_name", '')) COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
CREATE INDEX "memberships_given_name_idx" ON "memberships"
  ("organization_id", (lower(nullif("first_name", '')) COLLATE "C"), "ordinal")
  WHERE "directory_deleted_at" IS NULL;
CREATE INDEX "memberships_active_idx" ON "memberships" ("organization_id", "ordinal")
  WHERE "deactivated_at" IS NULL;
CREATE INDEX "memberships_deactivated_idx" ON "memberships" ("organization_id", "ordinal")
  WHERE "deactivated_at" IS NOT NULL AND "directory_deleted_at" IS NULL;
CREATE INDEX "memberships_all_deactivated_idx" ON "memberships" ("organization_id", "ordinal")
  WHERE "deactivated_at" IS NOT NULL;
CREATE INDEX "memberships_directory_emails_idx" ON "memberships"
  USING GIN ((lower(("directory_attributes" -> 'emails')::text)::jsonb) jsonb_path_ops)
  WHERE "directory_attributes" IS NOT NULL;
-- What searches for a prefix find.
CREATE INDEX "memberships_name_prefix_idx" ON "memberships"
  ("organization_id", lower(btrim("first_name" || ' ' || "last_name")) text_pattern_ops);
CREATE INDEX "memberships_last_name_prefix_idx" ON "memberships" ("organization_id", lower("last_name") text_pattern_ops);
CREATE INDEX "memberships_email_prefix_idx" ON "memberships" ("organization_id", lower("email_key") text_pattern_ops);
CREATE INDEX "groups_name_idx" ON "groups"
  ("organization_id", (lower(nullif("name", '')) COLLATE "C"), "ordinal");

-- The beginnings of names, by which lists find.
CREATE INDEX "app_resources_name_idx" ON "app_resources" ("organization_id", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "app_resources_app_instance_name_idx" ON "app_resources"
  ("organization_id", "app_instance_id", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "app_resources_resource_type_name_idx" ON "app_resources"
  ("organization_id", "resource_type", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "app_resources_app_instance_resource_type_name_idx" ON "app_resources"
  ("organization_id", "app_instance_id", "resource_type", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "app_instances_name_idx" ON "app_instances" ("organization_id", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "sla_definitions_name_idx" ON "sla_definitions" ("organization_id", (lower(left("name", 64) COLLATE "C")), "ordinal");
CREATE INDEX "entity_ingestion_configs_service_name_idx" ON "entity_ingestion_configs"
  ("organization_id", (lower(left("service_name", 64) COLLATE "C")), "ordinal");

-- API keys: a management key is its organization's, a revocation says how it came and is final.
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_management_key_has_no_team" CHECK ("kind" <> 'mk' OR "team_id" IS NULL);
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_revocation_complete" CHECK (("revoked_at" IS NULL) = ("revoked_by" IS NULL));
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_permissions_known" CHECK ("permissions" <@ ARRAY[
  'access:read', 'access:write', 'apps:read', 'apps:write', 'tickets:read', 'tickets:write',
  'entities:read', 'entities:write', 'users:read', 'users:write', 'teams:read', 'teams:write',
  'ingestion:write', 'audit:read', 'webhooks:read', 'webhooks:write'
]::text[]);

CREATE FUNCTION "refuse_api_key_revival"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'revocation of API key % is final', OLD."id"
    USING ERRCODE = 'check_violation', CONSTRAINT = 'api_keys_revocation_is_final', TABLE = 'api_keys';
END
$$;

CREATE TRIGGER "api_keys_revocation_is_final" BEFORE UPDATE ON "api_keys" FOR EACH ROW
  WHEN (OLD."revoked_at" IS NOT NULL AND NEW."revoked_at" IS DISTINCT FROM OLD."revoked_at")
  EXECUTE FUNCTION "refuse_api_key_revival"();
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_previous_rotation_is_one_less" CHECK ("rotation" >= 0 AND "previous_rotation" IS NOT DISTINCT FROM nullif("rotation", 0) - 1);
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_first_names_the_chain" CHECK (("rotation" = 0) = ("id" = "chain_id"));

-- Idempotency keys.
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_key_format" CHECK ("key" ~ '^[!-~]+$' AND length("key") <= 255);
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_request_hash_is_sha256" CHECK (octet_length("request_hash") = 32);
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_answer_or_error" CHECK ("answer" IS NULL OR "error" IS NULL);

-- Directories.
ALTER TABLE "directory_refusals" ADD CONSTRAINT "directory_refusals_status_fits" CHECK ("status" BETWEEN 400 AND 499 OR "status" IN (200, 201) AND "attribute" <> '');

-- Approval procedures.
ALTER TABLE "approval_procedures" ADD CONSTRAINT "approval_procedures_timeout_range" CHECK ("timeout_seconds" BETWEEN 300 AND 7776000);
ALTER TABLE "approval_steps" ADD CONSTRAINT "approval_steps_place_not_negative" CHECK ("stage_index" >= 0 AND "step_index" >= 0);
ALTER TABLE "approval_steps" ADD CONSTRAINT "approval_steps_custom_workflow_not_empty" CHECK ("custom_workflow_id" <> '');
ALTER TABLE "approval_step_approvers" ADD CONSTRAINT "approval_step_approvers_kind_complete" CHECK (
  ("kind" = 'USER') = ("user_id" IS NOT NULL) AND ("kind" = 'GROUP') = ("group_id" IS NOT NULL)
);

-- Apps.
ALTER TABLE "app_resources" ADD CONSTRAINT "app_resources_external_id_not_empty" CHECK ("external_id" <> '');
-- A changed row that finds room on its page leaves the indexes as they are. Batches change many rows of a page at once.
ALTER TABLE "app_resources" SET (fillfactor = 90);

-- Tickets.
ALTER TABLE "journey_tasks" ADD CONSTRAINT "journey_tasks_polling_interval_not_negative" CHECK ("polling_interval_ms" >= 0);
ALTER TABLE "journey_tasks" ADD CONSTRAINT "journey_tasks_parent_is_another" CHECK ("parent_task_id" <> "id");
ALTER TABLE "journeys" ADD CONSTRAINT "journeys_created_by_workflow_complete" CHECK (
  ("created_by_workflow_id" IS NULL) = ("created_by_workflow_name" IS NULL)
);
CREATE INDEX "journeys_active_idx" ON "journeys" ("organization_id", "ordinal") WHERE "archived_at" IS NULL;
CREATE INDEX "journeys_archived_idx" ON "journeys" ("organization_id", "ordinal") WHERE "archived_at" IS NOT NULL;
ALTER TABLE "sla_definitions" ADD CONSTRAINT "sla_definitions_target_duration_not_negative" CHECK ("target_duration_seconds" >= 0);
ALTER TABLE "entity_ingestion_configs" ADD CONSTRAINT "entity_ingestion_configs_sync_interval_not_negative" CHECK ("sync_interval_seconds" >= 0);

-- Webhooks.
CREATE TYPE "webhook_mode" AS ENUM ('UNORDERED', 'BY_TARGET');
CREATE TYPE "webhook_endpoint_status" AS ENUM ('ENABLED', 'DISABLED');
CREATE TYPE "webhook_disabled_reason" AS ENUM ('REQUEST', 'FAILURES', 'GONE');
CREATE TYPE "webhook_delivery_status" AS ENUM ('PENDING', 'SUCCEEDED', 'FAILED');

CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "team_id" TEXT,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "types" TEXT[],
    "mode" "webhook_mode" NOT NULL DEFAULT 'UNORDERED',
    "status" "webhook_endpoint_status" NOT NULL DEFAULT 'ENABLED',
    "disabled_reason" "webhook_disabled_reason",
    "failing_since" TIMESTAMPTZ(3),
    "public_key" TEXT NOT NULL DEFAULT '',
    "position" BIGINT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("organization_id","id")
);

CREATE TABLE "webhook_secrets" (
    "organization_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("organization_id","endpoint_id","id")
);

CREATE TABLE "webhook_deliveries" (
    "organization_id" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "last_attempt_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response_text" TEXT NOT NULL DEFAULT '',
    "error" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("organization_id","event_id","endpoint_id")
);
CREATE INDEX "webhook_endpoints_organization_id_team_id_ordinal_idx" ON "webhook_endpoints"("organization_id", "team_id", "ordinal");
CREATE UNIQUE INDEX "webhook_endpoints_organization_id_ordinal_key" ON "webhook_endpoints"("organization_id", "ordinal");
CREATE INDEX "webhook_deliveries_organization_id_created_at_idx" ON "webhook_deliveries"("organization_id", "created_at");
CREATE UNIQUE INDEX "webhook_deliveries_organization_id_endpoint_id_position_key" ON "webhook_deliveries"("organization_id", "endpoint_id", "position");
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_organization_id_team_id_fkey" FOREIGN KEY ("organization_id", "team_id") REFERENCES "teams"("organization_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_organization_id_endpoint_id_fkey" FOREIGN KEY ("organization_id", "endpoint_id") REFERENCES "webhook_endpoints"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_organization_id_endpoint_id_fkey" FOREIGN KEY ("organization_id", "endpoint_id") REFERENCES "webhook_endpoints"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_organization_id_event_id_fkey" FOREIGN KEY ("organization_id", "event_id") REFERENCES "audit_events"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "event_feed" ADD CONSTRAINT "event_feed_event_count_positive" CHECK ("event_count" > 0);
ALTER TABLE "event_feed" ADD CONSTRAINT "event_feed_first_event_id_is_first" CHECK (right("first_event_id"::text, 4) = '0000');
-- Moves writes of an organization from the outbox to its feed, at most so many, in their order, and returns the last
-- position and how many writes and events; nulls if another session does so, or there is no feed. What the outbox does
-- not show yet was committed later, and so has changed no object before what it shows. Whatever the planner knew of the
-- outbox, it is read in the order of the index, which notes which rows have left it.
CREATE FUNCTION "sequence_events"("organization" text, "most" int, OUT "position" bigint, OUT "writes" int,
                                  OUT "events" int)
  LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  ordinals bigint[];
BEGIN
  SELECT h.position INTO "position" FROM event_heads h WHERE h.organization_id = "organization" FOR UPDATE SKIP LOCKED;
  IF "position" IS NULL THEN
    RETURN;
  END IF;
  SELECT array_agg(o.ordinal ORDER BY o.ordinal), count(*), coalesce(sum(o.event_count), 0) INTO ordinals, "writes", "events"
    FROM (SELECT * FROM event_outbox WHERE organization_id = "organization" ORDER BY ordinal LIMIT "most") o;
  IF "writes" > 0 THEN
    INSERT INTO event_feed (organization_id, position, first_event_id, last_event_id, event_count)
    SELECT o.organization_id, sequence_events.position + 1 - o.event_count + sum(o.event_count) OVER (ORDER BY o.ordinal),
           o.first_event_id, o.last_event_id, o.event_count
      FROM event_outbox o WHERE o.organization_id = "organization" AND o.ordinal >= ordinals[1] AND o.ordinal = ANY (ordinals);
    DELETE FROM event_outbox o WHERE o.organization_id = "organization" AND o.ordinal >= ordinals[1] AND o.ordinal = ANY (ordinals);
    "position" := "position" + "events";
    UPDATE event_heads h SET position = sequence_events.position WHERE h.organization_id = "organization";
  END IF;
END
$$;
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_id_format" CHECK ("id" ~ '^[A-Za-z0-9_.~:-]+$' AND length("id") <= 128);
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_url_not_empty" CHECK ("url" <> '');
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_disabled_reason_complete" CHECK (("status" = 'DISABLED') = ("disabled_reason" IS NOT NULL));
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_attempts_not_negative" CHECK ("attempts" >= 0);
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("organization_id", "endpoint_id", "due_at") WHERE "status" = 'PENDING';
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" ("due_at") WHERE "status" = 'PENDING';
CREATE INDEX "webhook_deliveries_target_idx" ON "webhook_deliveries" ("organization_id", "endpoint_id", "target_type", "target_id", "position") WHERE "status" = 'PENDING';

-- Keys of all processes, of 244 random bits: one authenticates page tokens, one seals the organization in bearer tokens.
INSERT INTO "signing_keys" ("name", "key") VALUES
  ('page_token', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  ('bearer_token', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
