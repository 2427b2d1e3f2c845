/** The request of a button as a line for a terminal; the token is a variable there. */
import { useState } from 'react';
import { SERVER } from '../../data/session';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The line. */
function curlOf(method: 'POST' | 'DELETE', path: string, body: object | undefined): string {
  const parts = [
    `curl -X ${method} ${quoted(SERVER + path)}`,
    `-H "authorization: Bearer $OFFSHOOT_TOKEN"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Copies it. */
export function CopyCurl({ method, path, body }: { method: 'POST' | 'DELETE'; path: string; body?: object }) {
  const [says, setSays] = useState('Copy as curl');
  const line = curlOf(method, path, body);
  const copy = async () => {
    // A page that is not from a safe origin has no clipboard, and a browser may refuse it.
    const copied = await navigator.clipboard?.writeText(line).then(
      () => true,
      () => false,
    );
    setSays(copied === true ? 'Copied' : 'Copying is not available');
  };
  return (
    <button type="button" className="linkish copy-curl" title={line} onClick={() => void copy()}>
      {says}
    </button>
  );
}
