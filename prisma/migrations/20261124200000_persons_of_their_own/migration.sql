-- An organization adds persons of its own, whoever has the address elsewhere, and waits only for its own writers of an
-- address.
CREATE OR REPLACE FUNCTION "hold_member_values"(
  "organization_id" TEXT, "user_id" TEXT, "version" TEXT,
  "manager_user_id" TEXT, "email" TEXT, "email_key" TEXT, "user_name_key" TEXT, "primary_phone" TEXT
) RETURNS TABLE (
  "is_current" BOOLEAN, "manager_chain" JSON, "phone_holder_id" TEXT, "name_holder_id" TEXT,
  "is_shared" BOOLEAN, "email_holder_id" TEXT, "email_holder_name" TEXT
) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  held_version TEXT;
  held_email_key TEXT;
BEGIN
  is_current := false;
  is_shared := false;
  IF $4 IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(x'6d6772'::int, hashtext($1));
  END IF;
  IF $6 IS NOT NULL THEN
    SELECT m.email_key INTO held_email_key FROM memberships m WHERE m.organization_id = $1 AND m.user_id = $2;
    -- By itself: a query of rows is sent to the node that has them, and would take the lock there.
    PERFORM pg_advisory_xact_lock(hashtextextended('email/' || $1 || '/' || buckets.bucket, 0)) FROM (
      SELECT DISTINCT abs(hashtext(keys.key) % 256) AS bucket FROM (VALUES ($6), (held_email_key)) keys (key)
       WHERE keys.key IS NOT NULL ORDER BY 1
    ) buckets;
  END IF;
  SELECT m.xmin::text INTO held_version FROM memberships m
   WHERE m.organization_id = $1 AND m.user_id = $2 FOR NO KEY UPDATE;
  IF held_version IS DISTINCT FROM $3 THEN
    RETURN NEXT;
    RETURN;
  END IF;
  is_current := true;
  IF $8 IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('phone/' || $1 || '/' || abs(hashtext($8) % 256), 0));
    SELECT m.user_id INTO phone_holder_id FROM memberships m WHERE m.organization_id = $1 AND m.primary_phone = $8;
  END IF;
  IF $4 IS NOT NULL THEN
    WITH RECURSIVE chain AS (
      SELECT b.user_id, b.manager_user_id, btrim(b.first_name || ' ' || b.last_name) AS name
        FROM memberships b WHERE b.organization_id = $1 AND b.user_id = $4
       UNION
      SELECT m.user_id, m.manager_user_id, btrim(m.first_name || ' ' || m.last_name)
        FROM chain JOIN memberships m ON m.organization_id = $1 AND m.user_id = chain.manager_user_id
    )
    SELECT json_agg(json_build_object(
        'userId', chain.user_id, 'managerUserId', chain.manager_user_id, 'name', chain.name
      ))
      INTO manager_chain FROM chain;
  END IF;
  IF $7 IS NOT NULL THEN
    SELECT m.user_id INTO name_holder_id FROM memberships m
     WHERE m.organization_id = $1 AND m.user_id <> $2
       AND (lower(m.directory_user_name COLLATE "C") = $7 OR (m.directory_user_name IS NULL AND m.email_key = $7))
     LIMIT 1;
  END IF;
  IF $6 IS NOT NULL THEN
    SELECT m.user_id, btrim(m.first_name || ' ' || m.last_name) INTO email_holder_id, email_holder_name
      FROM memberships m WHERE m.organization_id = $1 AND m.email_key = $6;
    -- The person's memberships in every organization.
    SELECT count(*) > 1 INTO is_shared FROM memberships p WHERE p.user_id = $2;
    IF email_holder_id IS NULL AND NOT is_shared THEN
      UPDATE users SET email = $5, email_key = $6 WHERE id = $2;
      -- But for an import, which the write has waited for.
      SELECT count(*) > 1 INTO is_shared FROM memberships p WHERE p.user_id = $2;
    END IF;
  END IF;
  RETURN NEXT;
END
$$;

CREATE OR REPLACE FUNCTION "hold_new_member"(
  "organization_id" TEXT, "new_user_id" TEXT, "manager_user_id" TEXT, "email" TEXT, "email_key" TEXT,
  "user_name_key" TEXT, "primary_phone" TEXT
) RETURNS TABLE (
  "person_id" TEXT, "person_email" TEXT, "manager_chain" JSON, "phone_holder_id" TEXT, "name_holder_id" TEXT,
  "email_holder_id" TEXT, "email_holder_name" TEXT
) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
  IF $3 IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(x'6d6772'::int, hashtext($1));
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('email/' || $1 || '/' || abs(hashtext($5) % 256), 0));
  SELECT m.user_id, btrim(m.first_name || ' ' || m.last_name) INTO email_holder_id, email_holder_name
    FROM memberships m WHERE m.organization_id = $1 AND m.email_key = $5;
  SELECT m.user_id INTO name_holder_id FROM memberships m
   WHERE m.organization_id = $1
     AND (lower(m.directory_user_name COLLATE "C") = $6 OR (m.directory_user_name IS NULL AND m.email_key = $6))
   LIMIT 1;
  IF $7 IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('phone/' || $1 || '/' || abs(hashtext($7) % 256), 0));
    SELECT m.user_id INTO phone_holder_id FROM memberships m WHERE m.organization_id = $1 AND m.primary_phone = $7;
  END IF;
  IF $3 IS NOT NULL THEN
    WITH RECURSIVE chain AS (
      SELECT b.user_id, b.manager_user_id, btrim(b.first_name || ' ' || b.last_name) AS name
        FROM memberships b WHERE b.organization_id = $1 AND b.user_id = $3
       UNION
      SELECT m.user_id, m.manager_user_id, btrim(m.first_name || ' ' || m.last_name)
        FROM chain JOIN memberships m ON m.organization_id = $1 AND m.user_id = chain.manager_user_id
    )
    SELECT json_agg(json_build_object(
        'userId', chain.user_id, 'managerUserId', chain.manager_user_id, 'name', chain.name
      ))
      INTO manager_chain FROM chain;
  END IF;
  IF email_holder_id IS NULL THEN
    INSERT INTO users (id, email, email_key) VALUES ($2, $4, $5);
    person_id := $2;
    person_email := $4;
  END IF;
  RETURN NEXT;
END
$$;
