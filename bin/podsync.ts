#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads';
import { main, serveThreads } from '../src/cli/main.ts';

// In the single-file build, podsync's worker threads load this file, too.
await (isMainThread ? main(process.argv) : serveThreads());
