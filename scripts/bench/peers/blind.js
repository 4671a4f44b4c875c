'use strict';
const { Registry } = require('@prometheus-io/client');

/*
 * Our worker without eyes: nobody counts its events. Only here can metrics be switched off, since outside of a
 * measurement nobody should.
 */
require('../../../server/observe/metrics').createMetrics = () => new Registry();
require('../../../server/index');
