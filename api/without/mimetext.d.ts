/** @throws OffshootError `invalid_definition` */
export declare function createMimeMessage(): never;