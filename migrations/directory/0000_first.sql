CREATE TABLE `deletions` (
	`key` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `listed` (
	`root` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`root`, `kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `roots` (
	`name` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_activity` integer NOT NULL,
	`status` text NOT NULL,
	`display_name` text,
	`tags` text NOT NULL,
	`deleted_at` integer,
	`title` text,
	`facts` text
) WITHOUT ROWID;
