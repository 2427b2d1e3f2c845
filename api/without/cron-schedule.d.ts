/** @throws OffshootError `invalid_definition` */
export declare function parseCronExpression(): never;