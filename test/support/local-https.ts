/** A server of this machine over HTTPS, with a certificate that nobody has signed, as `wrangler dev` has one. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqEmLXWK6Ll4P9Psj
CUKug6YVx8BJrhu4f/UmoHVx9QyhRANCAAQmHFCr5qq74JkoWej2hSiIZ7hZFEBR
Ag/4KTxT9uHvBxPElTBWTre3fmCfBHmvXyrlih38bQLcJlTq/5+826/f
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUFoapqPBhWd5/74L1HjYoY2YZCykwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODEwMTc0MloYDzIxMjYxMTA0
MTAxNzQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQmHFCr5qq74JkoWej2hSiIZ7hZFEBRAg/4KTxT9uHvBxPElTBWTre3
fmCfBHmvXyrlih38bQLcJlTq/5+826/fo28wbTAdBgNVHQ4EFgQUPfEohcYKoQw/
pOzP5pJ8cwxlImkwHwYDVR0jBBgwFoAUPfEohcYKoQw/pOzP5pJ8cwxlImkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhALXuPd/vSZcmpBwk3d9wuwysbGoASAG6XXTCEJh1CPyjAiBn
dBTH1vHvX7hU9Tx+qW7/MlOX4Mm+Bg+rWcYU5lkGLw==
-----END CERTIFICATE-----`;

/** Serves until the test ends. @returns the port */
export async function localHttps(listener: RequestListener): Promise<number> {
  const server = createServer({ key: KEY, cert: CERTIFICATE }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
