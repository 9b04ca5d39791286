-- A user name that differs only by the case of a letter outside ASCII from that of an older member is given up: its member
-- goes by the email address until the directory sends a name that nobody has.
UPDATE "memberships" m SET "directory_user_name" = NULL
 WHERE m."directory_user_name" IS NOT NULL
   AND EXISTS (
     SELECT FROM "memberships" o
      WHERE o."organization_id" = m."organization_id" AND o."ordinal" < m."ordinal"
        AND lower(o."directory_user_name") = lower(m."directory_user_name")
   );
