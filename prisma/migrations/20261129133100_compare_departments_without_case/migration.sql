-- What departments are compared by: the name without case, blanks around it, and differences of Unicode form. Of several
-- with the same, one has it.
ALTER TABLE "department_options" ADD COLUMN "name_key" TEXT;

UPDATE "department_options" d SET "name_key" = first."key"
  FROM (SELECT DISTINCT ON ("organization_id", lower(normalize(btrim("name"), NFC)))
               "organization_id", "id", lower(normalize(btrim("name"), NFC)) AS "key"
          FROM "department_options"
         ORDER BY "organization_id", lower(normalize(btrim("name"), NFC)), "name" COLLATE "C") first
 WHERE d."organization_id" = first."organization_id" AND d."id" = first."id";
