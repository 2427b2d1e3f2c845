CREATE TABLE `slices` (
	`capability` text NOT NULL,
	`id` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`capability`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `slices` (`capability`, `id`, `data`)
	SELECT 'effects', `id`, CASE WHEN `data` LIKE '@errand %' THEN '@row effects ' || substr(`data`, 9) ELSE `data` END FROM `errands`;
--> statement-breakpoint
UPDATE `overflow` SET `owner` = 'row effects ' || substr(`owner`, 8) WHERE `owner` LIKE 'errand %';
--> statement-breakpoint
DROP TABLE `errands`;
