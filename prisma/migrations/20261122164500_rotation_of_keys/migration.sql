-- squawk-ignore-file prefer-bigint-over-int
CREATE TABLE "api_key_rotations" (
    "organization_id" TEXT NOT NULL,
    "chain_id" TEXT NOT NULL,
    "rotation" INTEGER NOT NULL,
    "previous_rotation" INTEGER,
    "api_key_id" TEXT NOT NULL,

    CONSTRAINT "api_key_rotations_pkey" PRIMARY KEY ("organization_id", "chain_id", "rotation"),
    CONSTRAINT "api_key_rotations_previous_is_one_less" CHECK ("rotation" >= 0 AND "previous_rotation" IS NOT DISTINCT FROM nullif("rotation", 0) - 1),
    CONSTRAINT "api_key_rotations_first_names_the_chain" CHECK (("rotation" = 0) = ("api_key_id" = "chain_id"))
);

CREATE UNIQUE INDEX "api_key_rotations_organization_id_api_key_id_key" ON "api_key_rotations"("organization_id", "api_key_id");

ALTER TABLE "api_key_rotations" ADD CONSTRAINT "api_key_rotations_organization_id_api_key_id_fkey" FOREIGN KEY ("organization_id", "api_key_id") REFERENCES "api_keys"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "api_key_rotations" ADD CONSTRAINT "api_key_rotations_organization_id_chain_id_previous_rotati_fkey" FOREIGN KEY ("organization_id", "chain_id", "previous_rotation") REFERENCES "api_key_rotations"("organization_id", "chain_id", "rotation") ON DELETE CASCADE ON UPDATE NO ACTION;
