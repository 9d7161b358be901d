#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads';
import { main, serveThreads } from '../src/cli/main.ts';

// Bundled into one file, this is also what podsync's threads load.
await (isMainThread ? main(process.argv) : serveThreads());
