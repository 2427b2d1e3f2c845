/** What the tabs of one console tell each other: as whom the server is asked. All else it tells them. */

/** From one tab to the others. */
export type Told = { readonly type: 'token wanted' } | { readonly type: 'token'; readonly token: string };

const channel = new BroadcastChannel('offshoot');

/** Tells the other tabs. */
export function tell(told: Told): void {
  channel.postMessage(told);
}

/** Calls back for what other tabs tell; for as long as the page is there. */
export function onTold(listener: (told: Told) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => listener(data));
}
