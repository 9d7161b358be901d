import json from '../../../dist/plugins/json/index.js';

/** JSON files, but a timer keeps running after they are closed, as a pending DNS lookup would. */
export default {
  ...json,
  async open(options, context) {
    setInterval(() => undefined, 1000);
    return json.open(options, context);
  },
};
