CREATE TABLE `listed` (
	`root` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`root`, `kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `roots` ADD `title` text;--> statement-breakpoint
ALTER TABLE `roots` ADD `facts` text;