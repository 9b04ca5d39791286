-- The same for somebody whom a directory adds (hold_member_values): locks of managers, the email address and the phone
-- number, what is then true of these values, and the person, who is added if nobody has the address yet.
CREATE FUNCTION "hold_new_member"(
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
  PERFORM pg_advisory_xact_lock(x'656d6c'::int, abs(hashtext($5) % 256));
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
      SELECT b.user_id, b.manager_user_id FROM memberships b WHERE b.organization_id = $1 AND b.user_id = $3
       UNION
      SELECT m.user_id, m.manager_user_id
        FROM chain JOIN memberships m ON m.organization_id = $1 AND m.user_id = chain.manager_user_id
    )
    SELECT json_agg(json_build_object('userId', chain.user_id, 'managerUserId', chain.manager_user_id))
      INTO manager_chain FROM chain;
  END IF;
  -- If imports made several persons with the same address, the first one is used.
  SELECT u.id, u.email INTO person_id, person_email FROM users u WHERE u.email_key = $5 ORDER BY u.id LIMIT 1;
  IF person_id IS NULL AND email_holder_id IS NULL THEN
    INSERT INTO users (id, email, email_key) VALUES ($2, $4, $5);
    person_id := $2;
    person_email := $4;
  END IF;
  RETURN NEXT;
END
$$;
