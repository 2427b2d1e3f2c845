/** What the SDK derives a class of its client from. */
export declare class RpcTarget {}
/** @throws OffshootError `invalid_definition` */
export declare function newWebSocketRpcSession(): never;