module.exports = class { id(){return 'manual-birch';} async callApi(p){ return {output: 'I do not know.'}; } };
