-- The words of a text as a search compares them, each with its organization before it: without case, accents and what
-- else Unicode only shows differently. Words end at whatever is no letter or digit in ASCII, and at the punctuation of
-- Unicode. PostgreSQL can't index words of more than 2,046 bytes, so a text counts up to its 450th character.
CREATE FUNCTION "search_words"("organization" text, "text" text) RETURNS tsvector
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_to_tsvector(string_to_array(btrim(regexp_replace(left(regexp_replace(
    CASE WHEN octet_length("text") = length("text") THEN lower("text")
         ELSE replace(translate(regexp_replace(lower(normalize("text", NFKD)), '[\u0300-\u036f]+', '', 'g'),
                                'ıłøđς', 'ilodσ'), 'ß', 'ss')
    END, '[\s!-/:-@[-`{-~\u2000-\u206f\u3000-\u303f]+', ' ', 'g'), 450), '\S+', "organization" || '/\&', 'g')), ' '));

-- What finds texts in which each of these words begins one; null without words, so that it finds none.
CREATE FUNCTION "search_query"("organization" text, "text" text) RETURNS tsquery
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery FROM unnest(search_words("organization", "text")));
