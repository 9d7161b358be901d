import { countOf } from '../domain/count.ts';
import { deviceName, deviceNames, MAX_CAPTION } from '../domain/device.ts';
import { DEVICE_TYPES, type Dialect } from '../domain/types.ts';
import type { Following } from '../services/sync/devices.ts';
import type { DeviceSummary, RefusedRequest } from '../storage/stores.ts';
import { describeApp } from './parts/app-name.ts';
import { renderFacts } from './parts/components.ts';
import { DEVICE_TYPE_NAMES, renderDeviceItem } from './parts/device.ts';
import {
  type Problems,
  renderConfirmation,
  renderField,
  renderNotice,
  renderProblem,
  renderSelect,
  renderToken,
  toSentence,
} from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { devicePage } from './parts/links.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderTime } from './parts/time.ts';

interface DevicesPage {
  base: string;
  csrf: string;
  devices: readonly DeviceSummary[];
  following: Following;
  /** Whether the account setting `sync_devices` is on. */
  isSynced: boolean;
  /** The newest first. */
  refusals: readonly RefusedRequest[];
  notice: string | undefined;
  problems: Problems;
}

/** The devices of an account, and which of them share subscriptions. */
export function renderDevices(page: DevicesPage): Page {
  const { devices, notice, problems } = page;
  return {
    title: 'Devices',
    content: markup`<div class="page-head"><h1>Devices</h1><a href="${page.base}/connect">Connect an app</a></div>
${renderProblem(problems.form)}${renderNotice(notice)}
${devices.length === 0 ? markup`<p>You have no devices.</p>` : markup`<ul class="items">${devices.map((device) => renderDevice(page, device))}</ul>`}
${renderSync(page)}
${renderRefusals(page)}`,
  };
}

function renderDevice({ base, refusals }: DevicesPage, device: DeviceSummary): Markup {
  const { id, type, subscriptions, app, dialect } = device;
  const facts = [
    DEVICE_TYPE_NAMES[type],
    countOf(subscriptions, 'subscription'),
    app && describeApp(app),
    dialect && DIALECTS[dialect],
  ];
  const refused = refusals.find((each) => each.device === id);
  const refusal = refused && markup`<div class="soft">Last refused ${renderTime(refused.at)}: ${refused.reason}</div>`;
  return renderDeviceItem(base, device, facts, refusal);
}

const DIALECTS: Record<Dialect, string> = { 'gpodder.net': 'gpodder.net', nextcloud: 'Nextcloud' };

function renderRefusals({ base, devices, refusals }: DevicesPage): Markup {
  const found =
    refusals.length === 0
      ? 'None recorded.'
      : 'Requests of your apps that this server could not accept, or accepted only in part; the newest first.';
  const names = deviceNames(devices);
  const items = refusals.map(
    ({ at, device = '', app, dialect, reason }) => markup`<li><div>${toSentence(reason)}
<div class="soft">${renderFacts([renderTime(at), names.get(device) ?? device, app && describeApp(app), DIALECTS[dialect]])}</div></div></li>
`,
  );
  return markup`<h2 id="refusals">Refused requests</h2>
<p class="soft">${found} Failed logins are not listed: if an app does not sync, also check the <a href="${base}/connect">server address, user name and password</a> in it.</p>
${items.length > 0 ? markup`<ul class="items">${items}</ul>` : ''}`;
}

function renderSync(page: DevicesPage): Markup {
  const { base, csrf, devices, following, isSynced } = page;
  const state = isSynced
    ? 'All devices have the same subscriptions. A new device receives them, too.'
    : `Each device has its own subscriptions${following.groups.length > 0 ? ', apart from the groups below' : ''}. If you keep the same subscriptions on all devices, each receives those of the others.`;
  const button = isSynced
    ? markup`<button class="plain" name="sync" value="off">Let each device have its own subscriptions</button>`
    : markup`<button name="sync" value="on">Keep the same subscriptions on all devices</button>`;
  return markup`<h2>Same subscriptions on all devices</h2>
<form method="post" action="${base}/devices/sync" class="card"><p>${state}</p>
<p>${renderToken(csrf)}${button}</p></form>
${isSynced || devices.length < 2 ? '' : renderGroups(page)}`;
}

function renderGroups({ base, csrf, devices, following }: DevicesPage): Markup {
  const names = deviceNames(devices);
  const groups = following.groups.map(
    (ids, at) => markup`<li><div>Group ${at + 1}: ${ids.map((id) => names.get(id)).join(', ')}</div></li>`,
  );
  const boxes = devices.map((device) => {
    const group = following.groups.findIndex((ids) => ids.includes(device.id));
    const label = group === -1 ? deviceName(device) : `${deviceName(device)} (in group ${group + 1})`;
    return markup`<label class="check"><input type="checkbox" name="device" value="${device.id}"><span>${label}</span></label>`;
  });
  return markup`<h2>Groups</h2>
<p class="soft">Devices in a group have the same subscriptions: each receives those of the others. Devices in no group keep their own.</p>
${groups.length > 0 ? markup`<ul class="items">${groups}</ul>` : ''}
<form method="post" action="${base}/devices"><fieldset><legend>Choose devices</legend>${renderToken(csrf)}${boxes}
<p class="actions"><button name="do" value="join">Group devices</button><button class="plain" name="do" value="leave">Remove from group</button></p></fieldset></form>`;
}

interface DevicePage {
  base: string;
  csrf: string;
  device: DeviceSummary;
  problems: Problems;
}

/** One device: its name and type, and its removal. */
export function renderDevicePage({ base, csrf, device, problems }: DevicePage): Page {
  const { id, caption, type, subscriptions, syncedAt, app, dialect } = device;
  return {
    title: deviceName(device),
    isNarrow: true,
    content: markup`<p class="soft"><a href="${base}/devices">Devices</a></p>
<h1>${deviceName(device)}</h1>
${renderProblem(problems.form)}
<dl class="facts"><dt>Device id</dt><dd><code>${id}</code></dd>
<dt>Subscriptions</dt><dd>${subscriptions}</dd>
<dt>Last sync</dt><dd>${syncedAt === undefined ? 'Not recorded' : renderTime(syncedAt)}</dd>
${app ? markup`<dt>App</dt><dd>${describeApp(app)}</dd>` : ''}${dialect && markup`<dt>Service</dt><dd>${DIALECTS[dialect]}</dd>`}</dl>
<form method="post" action="${devicePage(base, id)}">${renderToken(csrf)}
${renderField({ name: 'caption', label: 'Name', value: caption, problem: problems.caption, input: { maxlength: MAX_CAPTION } })}
${renderSelect({ name: 'type', label: 'Type', options: DEVICE_TYPES.map((each) => [each, DEVICE_TYPE_NAMES[each]] as const), value: type })}
<p class="actions"><button>Save</button></p></form>
<h2>Remove this device</h2>
<form method="post" action="${devicePage(base, id, '/remove')}">${renderToken(csrf)}
${renderConfirmation('Remove this device and its list of subscriptions. This cannot be undone.', 'Your history stays. If an app still syncs with this device, it is created again, with an empty list unless all devices have the same subscriptions.')}
<p class="actions"><button class="danger">Remove device</button></p></form>`,
  };
}
