-- Search of threads by the words of their comments (ADR 0061). As in 0013, the functions use no `lower` of the locale and no extension.

-- Returns a text as search compares it: search_fold without its limit of 256 characters.
create function search_fold_all(given text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(lower(
           case when octet_length(given) = length(given) then given
                else replace(replace(replace(replace(
                       translate(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g'),
                         'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖĐĦŁØŊŦđħłøŧðıςÐÆŒÞẞ',
                         'αβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆdhloŋtdhlotdiσdæœþß'),
                       'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
           end collate "C"), '[\u0001-\u0020]+', ' ', 'g'))
$$;

-- Returns the text of a comment, which one with HTML alone has between its tags. Every `<` ends what the one before it has begun, so
-- that no text takes time that grows with the square of its length.
create function comment_text(content jsonb) returns text language sql immutable parallel safe as $$
  select coalesce(nullif(content ->> 'commentText', ''),
    replace(replace(replace(replace(replace(replace(regexp_replace(
      regexp_replace(content ->> 'commentHtml', '</?(?:a|b|code|del|em|font|i|ins|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>', '', 'gi'),
      '<[^<>]*>', ' ', 'g'), '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&'),
    '')
$$;

-- Returns the words of a text, each after a hash of the API key, so that an index of them finds the comments of one tenant, whatever
-- others write. A word is what stands between white space and punctuation; where a script has no spaces, it is one character. The
-- first 200 characters of a word count. In plpgsql, because a function in SQL would be planned for every comment; one regular
-- expression for ASCII, because each costs as much as everything else together.
create function search_tokens(api_key_id text, given text) returns tsvector language plpgsql immutable parallel safe as $$
declare
  tenant text := left(md5(api_key_id), 6);
  is_ascii boolean := octet_length(given) = length(given);
  words text;
begin
  if is_ascii then
    words := regexp_replace(lower(given collate "C"), '[^a-z0-9]+', ' ' || tenant, 'g');
  else
    words := translate(search_fold_all(given), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~' || chr(127), repeat(' ', 33));
    words := regexp_replace(words, '[\u0080-\u00bf\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\ufe10-\uffff]+', ' ', 'g');
    words := regexp_replace(words,
      '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u312f\u31a0-\u31ff\u3400-\u9fff\U0001f000-\U0001faff\U00020000-\U0003ffff])', ' \1 ', 'g');
    words := replace(words, ' ', ' ' || tenant);
  end if;
  words := tenant || words;
  if length(case when is_ascii then given else words end) > 200 then words := regexp_replace(words, '([^ ]{206})[^ ]+', '\1', 'g'); end if;
  return array_to_tsvector(array_remove(string_to_array(words, ' '), tenant));
end
$$;

-- A trigger writes both, whatever version of the server writes the comment. One that names the API key saves looking it up.
alter table thread_comments add column api_key_id text collate "C", add column words tsvector;

create function search_comment_written() returns trigger language plpgsql as $$
begin
  if new.api_key_id is null then
    new.api_key_id := (select o.api_key_id from organizations o where o.organization_key = new.organization_key);
  end if;
  new.words := search_tokens(new.api_key_id, comment_text(new.content));
  return new;
end
$$;

update thread_comments c set api_key_id = o.api_key_id, words = search_tokens(o.api_key_id, comment_text(c.content))
  from organizations o where o.organization_key = c.organization_key;
alter table thread_comments alter column api_key_id set not null, alter column words set not null,
  alter column api_key_id set (n_distinct = 10);
create trigger thread_comments__search before insert or update of content on thread_comments for each row
  execute function search_comment_written();

-- Scans read comments in this order. Lookups find them by their words; the list of pending changes is short, as in 0013.
create index thread_comments__scan__idx on thread_comments (api_key_id, organization_key, resource_key, annotation_id, comment_id);
create index thread_comments__words__idx on thread_comments using gin (words) with (gin_pending_list_limit = 256);
