-- Most stores have one API key that sends mails about comments. On such a store both indexes of the comments to be mailed look
-- equally good to the planner, also the one that reads the comments of all keys; the plan is kept when other keys follow.
alter table comment_mailings alter column api_key_id set (n_distinct = 10);
