// Verbs that work on result files.
#include <fmt/format.h>

#include <memory>

#include "batch_script.hpp"
#include "drawing.hpp"
#include "rfbench/errors.hpp"
#include "several_values.hpp"
#include "shared_options.hpp"
#include "study/project.hpp"
#include "verb.hpp"

namespace rfbench::cli {
namespace {

/// Results of the user, or those that come with rfbench; which of them are meant.
struct Results : RunOptions {
    std::vector<std::string> names;
    bool of_reference = false;

    std::filesystem::path folder() { return of_reference ? reference_folder() : tree_of(*this); }
};

/// File of a result that is given by its file, or by its name as `table` takes it. Throws InputError for a name that
/// means none, or several.
std::filesystem::path result_file(const std::string& given, const std::filesystem::path& folder) {
    if (std::filesystem::is_regular_file(given) || std::filesystem::path(given).extension() == ".h5") return given;
    const auto files = collected_files(folder, {given});
    if (files.size() == 1) return files.front();
    throw InputError(fmt::format("'{}' means {} results in {}, and one is taken: as {}/{}", given, files.size(),
                                 folder.string(), given, files.front().stem().string()));
}

struct OneResult : Results {
    std::string given;

    void add_to(CLI::App& app, const std::string& description) {
        app.add_option("result", given, description)->required()->type_name("RESULT");
        add_tree(app, *this);
        add_reference(app, of_reference, "take a result that comes with rfbench", {"--profile", "--quick"});
    }
    std::filesystem::path file() { return result_file(given, folder()); }
};

/// The options that chose these results, as they are to be given to another verb.
std::string said_of_results(const RunOptions& options) {
    std::string text;
    if (options.results != RunOptions().results) text += " --results " + shell_word(options.results.string());
    if (!options.selection.profile.empty()) text += " --profile " + options.selection.profile;
    return text;
}

void add_names(CLI::App& app, Results& given) {
    app.add_option("names", given.names, "experiments, configurations or .h5 files; all if none")->type_name("RESULT");
    add_tree(app, given);
}

Run verify_verb(CLI::App& app) {
    const auto given = std::make_shared<Results>();
    add_names(app, *given);
    return [given] { return verify(given->folder(), given->results, given->names); };
}

Run table_verb(CLI::App& app) {
    struct Given : Results {
        TableOptions shown;
        bool partial = false;
    };
    const auto given = std::make_shared<Given>();
    add_names(app, *given);
    add_result_name(app, given->shown.as, "name of the results, as given to run");
    app.add_flag("--narrow", given->shown.narrow, "LaTeX for a column of a journal in two columns (252 points)");
    app.add_option("--format", given->shown.format, "what is printed: table, md, tex or csv")
        ->check(one_of({"table", "md", "tex", "csv"}))
        ->capture_default_str();
    auto* partial = app.add_flag("--partial", given->partial, "show finished cells of an unfinished sweep");
    add_settings(app, given->selection.overrides, "KEY=VALUE, as given to run")->needs(partial);
    app.add_option("--configs", given->selection.configs, "folder of configurations")
        ->type_name("FOLDER")
        ->needs(partial);
    add_plugins(app, given->selection.plugins)->needs(partial);
    add_reference(app, given->of_reference, "tables of full runs that come with rfbench; they are shown, not written",
                  {"--results", "--profile", "--quick", "--as", "--partial"});
    return [given] {
        if (given->of_reference) return reference(reference_folder(), given->names, given->shown);
        const std::filesystem::path results = given->folder();
        if (!given->partial) return table(results, given->names, given->shown);
        given->selection.names = given->names;
        given->as = given->shown.as;
        with_configs(given->selection);
        return for_each_value(*given, partial_tables);
    };
}

Run plot_verb(CLI::App& app) {
    struct Given : Results {
        std::string style;
        std::filesystem::path drawn;
        bool untitled = false;
    };
    const auto given = std::make_shared<Given>();
    add_names(app, *given);
    add_result_name(app, given->as, "name of the results, as given to run");
    add_reference(app, given->of_reference, "figures of full runs that come with rfbench, in the folder of --folder",
                  {"--results", "--profile", "--quick", "--as"});
    CLI::Option* const reference = app.get_option("--reference");
    reference->needs(app.add_option("--folder", given->drawn, "where figures of --reference are written")
                         ->type_name("FOLDER")
                         ->needs(reference));
    app.add_option("--style", given->style, "matplotlib settings over those of framework/drawing/rfbench.mplstyle")
        ->type_name("FILE");
    app.add_flag("--no-title", given->untitled, "leave titles out of pictures, for papers");
    return [given] {
        if (given->of_reference)
            return plot_reference(reference_folder(), given->names, given->drawn, given->style, !given->untitled);
        return plot(given->folder(), given->names, given->as, given->style, !given->untitled);
    };
}

Run claims_verb(CLI::App& app) {
    struct Given : Results {
        std::string format = "table";
    };
    const auto given = std::make_shared<Given>();
    app.add_option("filters", given->names,
                   "an id, paper (thesis, dof, luna, dijiang), verdict, method, experiment or configuration; "
                   "filters of one kind are alternatives, and each kind must match")
        ->type_name("CLAIM");
    add_tree(app, *given);
    add_reference(app, given->of_reference, "by the results of full runs that come with rfbench",
                  {"--results", "--profile", "--quick"});
    app.add_option("--format", given->format, "table, md, tex, csv or json")
        ->check(one_of({"table", "md", "tex", "csv", "json"}))
        ->capture_default_str();
    return [given] { return claims(given->folder(), given->names, given->format); };
}

Run recommend_verb(CLI::App& app) {
    struct Given : Results {
        RecommendOptions advice;
    };
    const auto given = std::make_shared<Given>();
    RecommendOptions& advice = given->advice;
    app.add_option("use", advice.use, "use of the features")->required()->check(one_of(recommended_uses()));
    app.add_option("--d", advice.dimension, "dimension of queries and keys")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    app.add_option("--sd", advice.scale, "standard deviation of their coordinates")
        ->check(CLI::Range(1e-6, 1e6))
        ->capture_default_str();
    app.add_option("--columns", advice.columns, "largest number of real feature columns")
        ->check(CLI::Range(1.0, 1e9))
        ->capture_default_str();
    add_tree(app, *given);
    add_reference(app, given->of_reference, "by the results of full runs that come with rfbench",
                  {"--results", "--profile", "--quick"});
    app.add_option("--figure", advice.figure, "draw all methods to this .svg or .pdf")->type_name("FILE");
    return [given, &app] {
        for (const char* const option : {"--d", "--sd", "--columns"})
            if (app.count(option) > 0) given->advice.given.emplace_back(option);
        given->advice.results = given->folder();
        given->advice.reference = given->of_reference;
        given->advice.where = given->of_reference ? " --reference" : said_of_results(*given);
        return recommend(given->advice);
    };
}

Run compare_verb(CLI::App& app) {
    struct Given : RunOptions {
        CompareOptions asked;

        /// Results that are neither 'reference' nor the path of a file or of a folder with results are given by their
        /// name.
        void find(std::string& one) {
            const bool is_path =
                std::filesystem::is_directory(one) ? !collected_files(one, {}).empty() : std::filesystem::exists(one);
            if (one != "reference" && !is_path) one = result_file(one, tree_of(*this)).string();
        }
    };
    const auto given = std::make_shared<Given>();
    CompareOptions& asked = given->asked;
    app.add_option("a", asked.a, "a result, its .h5 file, a results folder, or reference")
        ->required()
        ->type_name("RESULTS");
    app.add_option("b", asked.b, "another")->required()->type_name("RESULTS");
    add_tree(app, *given);
    app.add_option("--format", asked.format, "table, md, tex, csv or json")
        ->check(one_of({"table", "md", "tex", "csv", "json"}))
        ->capture_default_str();
    app.add_option("--rows", asked.rows, "rows of the table and the figure, at most; 0: all")->capture_default_str();
    app.add_option("--figure", asked.figure, "draw both to this .svg or .pdf")->type_name("FILE");
    return [given] {
        given->find(given->asked.a);
        given->find(given->asked.b);
        return compare(given->asked);
    };
}

Run reproduce_verb(CLI::App& app) {
    struct Given : OneResult {
        std::size_t cells = 3;
        std::vector<std::filesystem::path> plugins;
    };
    const auto given = std::make_shared<Given>();
    given->add_to(app, "a configuration that has a result, or its .h5 file");
    app.add_option("--cells", given->cells, "number of cells, spread evenly over all")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    add_plugins(app, given->plugins);
    return [given] { return reproduce(given->file(), given->cells, tree_of(*given)); };
}

Run export_verb(CLI::App& app) {
    struct Given : OneResult {
        ExportOptions table;
        std::filesystem::path networks;
    };
    const auto given = std::make_shared<Given>();
    given->add_to(app,
                  "a configuration that has a result, or its .h5 file; for --folder a result of training/teachers");
    auto* folder = app.add_option("--folder", given->networks, "folder in which each network gets a subfolder");
    folder->type_name("FOLDER");
    auto* to = app.add_option("--to", given->table.to, "csv or npz: a table with one row for each value")
                   ->check(one_of({"csv", "npz"}))
                   ->excludes(folder);
    app.add_option("--out", given->table.out, "file of the table; CSV goes to the screen if not given")
        ->type_name("FILE")
        ->needs(to);
    app.add_option("--variables", given->table.variables, "only these variables, as in accuracy,loss")
        ->delimiter(',')
        ->needs(to);
    return [given] {
        if (given->networks.empty() && given->table.to.empty())
            throw InputError("export: --to csv or npz for a table, or --folder for networks");
        given->table.file = given->file();
        return given->networks.empty() ? export_table(given->table)
                                       : export_networks(given->table.file, given->networks);
    };
}

Run pages_verb(CLI::App& app) {
    struct Given {
        bool check_only = false;
        std::filesystem::path root;
    };
    const auto given = std::make_shared<Given>();
    app.add_flag("--check", given->check_only, "only list numbers and tables that no longer agree");
    app.add_option("--root", given->root, "checkout; the project's if not given")->type_name("FOLDER");
    return [given] { return pages(given->root.empty() ? experiments::project() : given->root, given->check_only); };
}

}  // namespace

std::vector<Verb> result_verbs() {
    return {
        {"verify", "checks every result file against its checksum", verify_verb},
        {"table", "writes and shows the tables of result files", table_verb},
        {"plot", "draws the figures of result files, and the page of all results", plot_verb},
        {"claims", "judges by result files which claims of the papers hold", claims_verb},
        {"recommend", "recommends features for a use, by result files", recommend_verb},
        {"compare", "lists differences between two results, and whether they exceed the errors", compare_verb},
        {"reproduce", "computes cells of a result file again, from the configuration in it", reproduce_verb},
        {"export", "writes a result file as a tidy table, or its networks in GPT-2's layout", export_verb},
        {"pages", "fills numbers of the documentation, and writes tables, from reference results", pages_verb},
    };
}

}  // namespace rfbench::cli
