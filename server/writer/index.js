'use strict';

const { loadWriterConfig } = require('../config/config');
const { runProgram } = require('../program');
const { createWriter } = require('./service');

/** The writer: a program of its own, beside the workers. */
runProgram(() => createWriter(loadWriterConfig()), 'WRITE_PORT and WRITE_ADMIN_PORT');
