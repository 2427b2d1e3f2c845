/** The request of a button as a line for a terminal; the token is a variable there. */
import { useState } from 'react';
import { SERVER } from '../data/session';

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
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="linkish copy-curl"
      title={curlOf(method, path, body)}
      onClick={() => {
        void navigator.clipboard?.writeText(curlOf(method, path, body));
        setCopied(true);
      }}
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </button>
  );
}
