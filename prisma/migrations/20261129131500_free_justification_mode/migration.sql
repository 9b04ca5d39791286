-- The mode is any text. The previous build writes and reads the column with the three that it knows; the next release
-- drops that.
ALTER TABLE "approval_steps" ALTER COLUMN "approver_justification_mode" SET DEFAULT 'UNSET',
                             ADD COLUMN "justification_mode" TEXT;
