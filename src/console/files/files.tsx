/** Files of an agent: listed, read, put there, taken away, and loaded whole by the browser. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Document } from '../../client';
import { isBinary } from '../../protocol/content/file-bytes';
import { pathSaid } from '../data/names';
import { BASE, pathOf } from '../data/place';
import { usePress } from '../data/press';
import { useForbidden } from '../data/rights';
import { server, tokenNow } from '../data/session';
import { toast } from '../data/toasts';
import { Markdown } from '../parts/markdown';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { Unsent } from '../parts/unsent';
import { Waits } from '../parts/waits';
import { bytes, escaped, linesOf } from '../parts/words';
import { download } from './download';

type Info = Document<'file'>;

/** Of a file, as much is shown, in bytes; the rest is downloaded. */
const MOST_SHOWN = 262_144;
/** Files of one page. */
const PAGE = 100;

const isText = ({ mediaType }: Info): boolean =>
  /^text\/|[/+](?:json|xml|yaml|javascript)(?:;|$)/u.test(mediaType) || mediaType === 'application/x-ndjson';
const isMarkdown = ({ path, mediaType }: Info): boolean =>
  mediaType.startsWith('text/markdown') || /\.md$/iu.test(path);

/** The path of a file's view. */
const pathOfFile = (address: string, path: string): string => `${pathOf(address)}/files/${encodeURIComponent(path)}`;

/** The beginning of a file as a text, null for other bytes; nothing more of it is loaded. */
async function readText(answer: Response): Promise<string | null> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let [text, held] = ['', 0];
  while (held < MOST_SHOWN) {
    const { done, value } = await reader.read();
    if (done) return linesOf(text + decoder.decode());
    if (held === 0 && isBinary(value)) break;
    const piece = value.subarray(0, MOST_SHOWN - held);
    held += piece.length;
    text += decoder.decode(piece, { stream: true });
  }
  await reader.cancel();
  return held === 0 ? null : linesOf(text);
}

function Content({ address, info }: { address: string; info: Info }) {
  const [raw, setRaw] = useState(false);
  const content = useQuery({
    queryKey: ['file', address, info.path, info.etag],
    queryFn: async ({ signal }) => readText(await server().readFile(address, info.path, { signal })),
    enabled: isText(info) || isMarkdown(info),
  });
  if (!isText(info) && !isMarkdown(info))
    return <p className="muted">{info.mediaType} cannot be previewed. Download it.</p>;
  if (content.error !== null) return <Trouble error={content.error} onRetry={() => void content.refetch()} />;
  if (content.data === undefined) return <Waits />;
  if (content.data === null) return <p className="muted">This file is not UTF-8 text. Download it to read it.</p>;
  return (
    <>
      {info.size > MOST_SHOWN && (
        <p className="warning">Only the first {bytes(MOST_SHOWN)} are shown. Download the file to see the rest.</p>
      )}
      {isMarkdown(info) && (
        <p className="row">
          <button type="button" aria-pressed={!raw} onClick={() => setRaw(false)}>
            Read
          </button>
          <button type="button" aria-pressed={raw} onClick={() => setRaw(true)}>
            Text
          </button>
        </p>
      )}
      {isMarkdown(info) && !raw ? <Markdown text={content.data} /> : <pre>{escaped(content.data)}</pre>}
    </>
  );
}

function Download({ address, info }: { address: string; info: Info }) {
  const name = info.path.split('/').at(-1) ?? info.path;
  const get = useMutation({ retry: false, mutationFn: () => download(address, info) });
  // Without a token the browser asks by itself, and nothing of it goes through the page.
  if (tokenNow() === undefined)
    return (
      <a className="button" href={`${BASE}${address}/files/${encodeURIComponent(info.path)}`} download={name}>
        Download
      </a>
    );
  return (
    <>
      <button type="button" disabled={get.isPending} onClick={() => get.mutate()}>
        Download
      </button>
      {get.error !== null && <Trouble error={get.error} />}
    </>
  );
}

function One({ address, info, forbidden }: { address: string; info: Info; forbidden: string | undefined }) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [sure, setSure] = useState(false);
  const remove = usePress({
    what: `Removing ${info.path}`,
    address,
    ask: (path: string, sending) => server().removeFile(address, path, sending),
    onSuccess: (_answer, _path, isLeft) => {
      toast(`${info.path} was deleted.`);
      void queries.invalidateQueries({ queryKey: ['files', address] });
      if (!isLeft) go(`${pathOf(address)}/files`, { replace: true });
    },
  });
  return (
    <article className="card" aria-label={info.path}>
      <header>
        <h2>{escaped(info.path)}</h2>
        <p className="muted">
          {bytes(info.size)}, {info.mediaType}, <Time at={info.updatedAt} />, sha <code>{info.etag.slice(0, 8)}</code>
        </p>
      </header>
      <div className="row">
        <Download address={address} info={info} />
        {sure ? (
          <>
            <button type="button" onClick={() => setSure(false)}>
              Cancel
            </button>
            <button type="button" className="danger" disabled={remove.isBusy} onClick={() => remove.press(info.path)}>
              Delete permanently
            </button>
          </>
        ) : (
          <button type="button" disabled={forbidden !== undefined} title={forbidden} onClick={() => setSure(true)}>
            Remove…
          </button>
        )}
      </div>
      <Unsent press={remove} />
      <Content key={info.etag} address={address} info={info} />
    </article>
  );
}

function Put({ address, forbidden }: { address: string; forbidden: string | undefined }) {
  const queries = useQueryClient();
  const [over, setOver] = useState(false);
  const put = useMutation({
    retry: false,
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const mediaType = file.type === '' ? {} : { mediaType: file.type };
        await server().writeFile(address, `uploads/${file.name}`, file, mediaType);
        toast(`${file.name} was uploaded.`);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['files', address] }),
  });
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0 && forbidden === undefined) put.mutate([...files]);
  };
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  return (
    <>
      <label
        className={over ? 'drop over' : 'drop'}
        title={forbidden}
        onDragOver={onDrag}
        onDragLeave={onDrag}
        onDrop={(event) => {
          onDrag(event);
          take(event.dataTransfer.files);
        }}
      >
        {put.isPending ? 'Uploading…' : (forbidden ?? 'Drop files here, or choose')}
        <input
          type="file"
          multiple
          aria-label="Files to upload"
          disabled={forbidden !== undefined || put.isPending}
          onChange={(event) => {
            take(event.target.files);
            event.target.value = '';
          }}
        />
      </label>
      {put.error !== null && <Trouble error={put.error} />}
    </>
  );
}

/** The files of an agent, and one of them; also as a part of another view. */
export function Files({ address, selected }: { address: string; selected?: string | undefined }) {
  const forbidden = useForbidden('write', address);
  const files = useInfiniteQuery({
    queryKey: ['files', address],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      server().files(address, { limit: PAGE, signal, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    getNextPageParam: ({ cursor }) => cursor,
    retry: false,
  });
  const items = files.data?.pages.flatMap((page) => page.items);
  const shown = items?.find(({ path }) => path === selected);
  return (
    <div className="files">
      <div className="files-list">
        <Put address={address} forbidden={forbidden} />
        {files.error !== null && <Trouble error={files.error} onRetry={() => void files.refetch()} />}
        {files.isPending && <Waits rows={3} />}
        {items?.length === 0 && <p className="muted">No files</p>}
        <ul>
          {items?.map(({ path, size, updatedAt }) => (
            <li key={path}>
              <Link href={pathOfFile(address, path)} replace aria-current={path === selected}>
                <strong>{escaped(path)}</strong>
                <span className="muted">
                  {bytes(size)}, <Time at={updatedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {files.hasNextPage && (
          <button type="button" disabled={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
            More files
          </button>
        )}
      </div>
      {shown !== undefined && <One key={shown.path} address={address} info={shown} forbidden={forbidden} />}
      {shown === undefined && selected !== undefined && items !== undefined && !files.hasNextPage && (
        <p role="status">There is no file {escaped(selected)} here.</p>
      )}
      {shown === undefined && selected !== undefined && files.hasNextPage && (
        <p role="status">{escaped(selected)} is not among the loaded files. Load more.</p>
      )}
    </div>
  );
}

/** The view. */
export function FilesView({ address, selected }: { address: string; selected: string | undefined }) {
  return (
    <main className="page">
      <h1>Files</h1>
      <p className="agent-path">
        <Link href={pathOf(address)}>{pathSaid(address)}</Link>
      </p>
      <Files address={address} selected={selected} />
    </main>
  );
}
