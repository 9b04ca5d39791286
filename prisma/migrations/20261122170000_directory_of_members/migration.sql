ALTER TABLE "memberships"
  ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "directory_external_id" TEXT,
  ADD COLUMN "directory_user_name" TEXT,
  ADD COLUMN "directory_attributes" JSONB,
  ADD COLUMN "directory_deleted_at" TIMESTAMPTZ(3);

ALTER TABLE "groups"
  ADD COLUMN "directory_external_id" TEXT,
  ADD COLUMN "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
