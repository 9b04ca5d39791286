-- One key for all processes: 244 random bits that seal the organization in bearer tokens.
INSERT INTO "signing_keys" ("name", "key") VALUES ('bearer_token', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
  ON CONFLICT DO NOTHING;
