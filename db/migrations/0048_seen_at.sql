-- When a user last saw a thread as far as `seen_through`: a comment that changed after it has not been seen as it is now.
alter table thread_users add seen_at timestamptz(3);

-- When the change was made of which a mail is to notify; null: the mail is about the comment itself.
alter table comment_mailings add changed_at timestamptz(3);
alter table comment_mail_items add changed_at timestamptz(3);
