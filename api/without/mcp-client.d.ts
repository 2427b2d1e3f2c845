declare class LeftOut {
  constructor();
}
/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export declare class Client extends LeftOut {}
/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export declare class SSEClientTransport extends LeftOut {}
/** Throws when it is constructed. @throws OffshootError `invalid_definition` */
export declare class StreamableHTTPClientTransport extends LeftOut {}
/** No error is one of these. */
export declare class SdkHttpError extends Error {}
/** Made by the SDK for each agent; it validates nothing, because nothing is connected. */
export declare class CfWorkerJsonSchemaValidator {}
/** @throws OffshootError `invalid_definition` */
export declare function validateClientMetadataUrl(): never;
export {};