-- A refused revocation writes nothing.
ALTER TABLE "revoke_attempts" DROP COLUMN "refused";
