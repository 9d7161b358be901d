/** The entry point for embedding podsync in another program. */
export { type AppOptions, createApp } from './app.ts';
export { openPodsync, type Podsync, type PodsyncOptions } from './podsync.ts';
export type { Services } from './services/services.ts';
export type * from './old-plugin.ts';
