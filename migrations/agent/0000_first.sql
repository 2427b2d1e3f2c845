CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `children` (
	`id` integer PRIMARY KEY NOT NULL,
	`class_name` text NOT NULL,
	`slot` integer,
	`generation` integer,
	`name` text,
	`step` integer,
	`free` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `children_by_name` ON `children` (`name`) WHERE "children"."name" is not null;--> statement-breakpoint
CREATE TABLE `errands` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`position` integer PRIMARY KEY NOT NULL,
	`first` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `overflow` (
	`owner` text NOT NULL,
	`part` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`owner`, `part`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `queued` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `receipts` (
	`key` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`answer` text NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `runs` (
	`turn` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `session` (
	`id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL,
	`custom` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `settlements` (
	`key` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `steps` (
	`id` integer PRIMARY KEY NOT NULL,
	`turn` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `variables` (
	`name` text PRIMARY KEY NOT NULL,
	`data` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `file_chunks` (
	`key` integer PRIMARY KEY NOT NULL,
	`data` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `files` (
	`path` text PRIMARY KEY NOT NULL,
	`size` integer NOT NULL,
	`media_type` text NOT NULL,
	`etag` text NOT NULL,
	`updated_at` integer NOT NULL,
	`content` integer,
	`tail` blob NOT NULL
) WITHOUT ROWID;
